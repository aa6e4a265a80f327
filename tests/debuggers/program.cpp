// The values that run_gdb.cmake prints, where stop() is called.
#include <placement/placement.hpp>

#include <placement/ops/complex.hpp>
#include <placement/ops/full.hpp>

#include <complex>
#include <cstdint>
#include <utility>

namespace pl = placement;

/// Its arguments are references.
template <class E>
[[gnu::noinline]] void stop(pl::tensor<float, pl::dextents<2>> const& matrix,
                            pl::tensor<float, pl::dextents<2>>&& moved_in, E const& expression,
                            pl::device const& where) {
  static_cast<void>(matrix.size() + moved_in.size() + expression.rank);
  static_cast<void>(where);
}

int main() {
  pl::set_current_device("/cpu:0");
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  pl::tensor const flags{true, false, true};
  pl::tensor<pl::float16, pl::dextents<1>> const halves =
      pl::cast<pl::float16>(pl::tensor{0.5f, -2.f});
  pl::tensor<pl::bfloat16, pl::dextents<1>> const brains =
      pl::cast<pl::bfloat16>(pl::tensor{0.5f, -2.f});
  pl::tensor const numbers{std::complex<float>(1, 2)};
  pl::tensor<double, pl::extents<>> const number(2.5);
  pl::tensor const cube{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  pl::tensor<float, pl::dextents<2>> const wide = pl::zeros<float>(2, 100'000);
  pl::tensor<int, pl::dextents<1>> const empty;
  pl::tensor<float, pl::extents<2, 3>> const fixed = a;
  pl::tensor<float, pl::extents<2, 2>, pl::dev<pl::kind::cpu, 0>> const small{{1.f, 2.f},
                                                                              {3.f, 4.f}};
  pl::tensor<float, pl::dextents<2>> moved = a;
  pl::tensor<float, pl::dextents<2>> const taken = std::move(moved);
  pl::tensor<float, pl::dextents<2>> const on_gpu = pl::copy_to("/gpu:1", a);
  pl::tensor<float, pl::dextents<2>, pl::dev<pl::kind::gpu, 0>> const typed = a;
  pl::tensor<float, pl::dextents<2>> const elsewhere = [&] {
    pl::with_device const scope("/gpu:5");
    return pl::tensor(a + 0.f);
  }();

  auto const e = pl::relu(a * 2.f + 1.f);
  auto const nested = -(a - fixed) * (a + 1.f) / pl::exp(on_gpu);
  auto const sums = pl::sum(a, pl::axis<1>);
  auto const product = pl::matmul(a, pl::transpose(a)) > 3.f;
  auto const clamped = pl::clamp(a, 0.f, 1.f);
  auto const part = pl::slice(a, pl::everything, pl::range{0, 2});
  auto const pinned = pl::on("/gpu:1", pl::tanh(a)) + a;
  auto const named = pl::named("hidden", pl::tanh(a));
  auto const unnamed = pl::tensor{1.f, 2.f} + 1.f;
  auto const of_small = small + small;
  auto const cast = pl::cast<double>(a) - -1.;
  auto const filled = pl::full(pl::shape(2, 3), 0.5f) + a;
  auto const picked = a < 3.f && !pl::is_nan(a);
  auto const many = a - fixed - a - fixed - a - fixed - a - fixed - a - fixed - a - fixed - a;
  auto const row = pl::view(a)[1];
  auto const view = pl::view(a);
  pl::tensor<float, pl::dextents<1>> changing{1.f, 2.f};
  auto const stale = pl::view(changing);
  changing = pl::tensor{1.f, 2.f, 3.f};

  auto const shape = a.shape();
  auto const static_shape = fixed.shape();
  pl::layout<2> const strides = pl::row_major(shape);
  pl::device const gpu1 = pl::gpu1;
  [[maybe_unused]] pl::device const nowhere{};
  pl::device_spec const spec = pl::spec("/job:localhost/gpu:1");
  pl::device_spec const no_spec{};
  pl::device_spec const foreign = pl::spec("/job:worker/task:1/gpu:0");
  [[maybe_unused]] pl::range const range{.first = 1, .step = -1};
  pl::located_index const index(3);
  [[maybe_unused]] pl::run_time_axis const axis{-1};
  pl::site const site = pl::site::here();
  [[maybe_unused]] pl::float16 const half(1.5f);
  [[maybe_unused]] pl::physical_device const physical{pl::gpu0};
  auto const read = a.read();
  pl::synchronize();
  stop(a, std::move(a), e, gpu1);
  return 0;
}
