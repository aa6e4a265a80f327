// The GPU kernels of convolutions and pools, run by loops on the host, against the CPU's loops. The
// elements are small integers, so that sums are exact in any order.
#include <placement/gpu/lower_custom.hpp>
#include <placement/nets.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>
#include <support/image_loops.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

using array = std::vector<float>;

array numbers(index_t n, test_numbers& drawn) {
  array v(static_cast<std::size_t>(n));
  for (float& x : v) x = static_cast<float>(drawn.next(-3, 3));
  return v;
}
dense_view<float const, dextents<4>> view_of(array const& v, dextents<4> const& x) {
  return {v.data(), x};
}

/// Runs an op on both sides. Returns its result on the CPU.
template <class Op, class... In>
array check(int& launches, Op const& op, dextents<4> const& to, In const&... in) {
  array expected(to.count()), out(to.count() + 1, -7.f);
  op(dense_view<float, dextents<4>>{expected.data(), to}, in...);
  detail::lowering<Op>::run(host_grid{&launches}, op,
                            dense_view<float, dextents<4>>{out.data(), to}, in...);
  CHECK(out.back() == -7.f);
  out.pop_back();
  CHECK(out == expected);
  return expected;
}

void check_convolution(dextents<4> const& images, dextents<4> const& filter,
                       conv2d_options const& o, int parts_of_filter = 1) {
  INFO(to_string(images) << " with " << to_string(filter) << " strides " << o.strides.height
                         << " dilations " << o.dilations.height << " groups " << o.groups);
  using options = detail::run_time_options<conv2d_options>;
  conv2d_op<options> const forward{{o}};
  dextents<4> const result = forward.result(images, filter);
  test_numbers drawn(static_cast<unsigned>(images.count() + filter.count()));
  array const a = numbers(static_cast<index_t>(images.count()), drawn);
  array const b = numbers(static_cast<index_t>(filter.count()), drawn);
  array const c = numbers(static_cast<index_t>(result.count()), drawn);
  auto const x = view_of(a, images), w = view_of(b, filter), g = view_of(c, result);
  int launches = 0;
  check(launches, forward, result, x, w);
  check(launches, conv2d_input_gradient_op<options, dextents<4>>{{o}, images}, images, w, g);
  launches = 0;
  check(launches, conv2d_filter_gradient_op<options, dextents<4>>{{o}, filter}, filter, x, g);
  if (filter.count() != 0) CHECK(launches == parts_of_filter);
}

/// A convolution with a bias, relu and a max pool as one op.
void check_fused(dextents<4> const& images, dextents<4> const& filter, conv2d_options const& o,
                 pool2d_options const& p) {
  INFO(to_string(images) << " with " << to_string(filter));
  using options = detail::run_time_options<conv2d_options>;
  using pool = detail::run_time_options<pool2d_options>;
  conv2d_pool_op<options, pool> const forward{{{o}, {p}}};
  dextents<1> const per_filter{{filter.n[3]}};
  dextents<4> const result = forward.result(images, filter, per_filter);
  test_numbers drawn(static_cast<unsigned>(images.count() + filter.count()));
  array const a = numbers(static_cast<index_t>(images.count()), drawn);
  array const b = numbers(static_cast<index_t>(filter.count()), drawn);
  array const c = numbers(filter.n[3], drawn);
  array const d = numbers(static_cast<index_t>(result.count()), drawn);
  auto const x = view_of(a, images), w = view_of(b, filter), g = view_of(d, result);
  dense_view<float const, dextents<1>> const bias{c.data(), per_filter};
  int launches = 0;
  check(launches, forward, result, x, w, bias);
  check(launches, conv2d_pool_input_gradient_op<options, pool>{{{o}, {p}}}, images, x, w, bias, g);
  check(launches, conv2d_pool_filter_gradient_op<options, pool>{{{o}, {p}}}, filter, x, w, bias, g);
}

template <class Images> void check_pool(Images const& images, pool2d_options const& o) {
  INFO(to_string(images) << " by " << o.window.height << " strides " << o.strides.height);
  using options = detail::run_time_options<pool2d_options>;
  max_pool2d_op<options> const maximum{{{o}}};
  dextents<4> const result = maximum.result(images);
  test_numbers drawn(static_cast<unsigned>(images.count()));
  array a = numbers(static_cast<index_t>(images.count()), drawn);
  if (a.size() > 5) a[5] = std::numeric_limits<float>::quiet_NaN();
  for (bool const with_nan : {false, true}) {
    if (!with_nan && a.size() > 5) a[5] = 2;
    array const c = numbers(static_cast<index_t>(result.count()), drawn);
    auto const x = view_of(a, images), g = view_of(c, result);
    int launches = 0;
    array const best = check(launches, maximum, result, x);
    check(launches, max_pool2d_gradient_op<options>{{{o}}}, images, x, view_of(best, result), g);
    dextents<1> const per_channel{{static_cast<index_t>(images.at(3))}};
    array const rows = numbers(3 * per_channel.n[0], drawn);
    auto const row = [&](index_t i) {
      return dense_view<float const, dextents<1>>{rows.data() + i * per_channel.n[0], per_channel};
    };
    check(launches, batch_norm_pool_op<options>{{{o}}}, result, x, row(0), row(1));
    check(launches, batch_norm_pool_gradient_op<options>{{{o}}}, images, x, view_of(best, result),
          g, row(0), row(1), row(2));
    check(launches, avg_pool2d_op<options>{{{o}}}, result, x);
    check(launches, avg_pool2d_gradient_op<options, dextents<4>>({o}, images), images, g);
  }
}

}  // namespace

TEST_CASE("convolutions and their gradients on a GPU are those of the CPU") {
  check_convolution(shape(2, 5, 6, 3), shape(3, 2, 3, 5), {});
  check_convolution(shape(1, 9, 7, 4), shape(3, 3, 2, 6),
                    {.padding = same_padding, .strides = {2, 3}, .groups = 2});
  check_convolution(shape(2, 11, 8, 2), shape(3, 2, 2, 20),
                    {.padding = {2, 1, 0, 3}, .strides = {4, 2}, .dilations = {2, 3}});
  check_convolution(shape(1, 7, 9, 33), shape(2, 3, 33, 70), {.padding = same_padding});
  check_convolution(shape(1, 6, 6, 18), shape(3, 3, 1, 36), {.strides = {6, 1}, .groups = 18});
  check_convolution(shape(3, 20, 21, 1), shape(5, 5, 1, 12), {}, 2);
  check_convolution(shape(1, 3, 3, 200), shape(3, 3, 200, 17), {});
  check_convolution(shape(2, 1, 1, 1), shape(1, 1, 1, 1), {.strides = {1000, 9}});
  check_convolution(shape(0, 4, 4, 2), shape(2, 2, 2, 3), {});
  check_convolution(shape(2, 4, 4, 0), shape(2, 2, 0, 3), {});
  test_numbers drawn(1);
  for (int i = 0; i != 12; ++i) {
    index_t const groups = drawn.next(1, 3), depth = drawn.next(1, 5);
    conv2d_options const o{.padding = i % 3 == 0 ? same_padding : padding2d{2, 3, 1, 4},
                           .strides = {drawn.next(1, 4), drawn.next(1, 4)},
                           .dilations = {drawn.next(1, 3), drawn.next(1, 3)},
                           .groups = groups};
    check_convolution(shape(drawn.next(1, 3), drawn.next(6, 12), drawn.next(6, 12), groups * depth),
                      shape(drawn.next(1, 3), drawn.next(1, 3), depth, groups * drawn.next(1, 9)),
                      o);
  }
}

TEST_CASE("pools and their gradients on a GPU have the bits of the CPU's") {
  check_pool(shape(2, 6, 7, 5), {});
  check_pool(shape(1, 7, 9, 8), {.window = {3, 2}, .strides = {2, 1}, .padding = same_padding});
  check_pool(shape(3, 5, 5, 1), {.window = {3, 4}, .strides = {1, 3}, .padding = {2, 1, 0, 3}});
  check_pool(shape(1, 4, 9, 3), {.window = {2, 2}, .strides = {3, 5}});
  check_pool(shape(0, 4, 4, 2), {});
}

TEST_CASE("a convolution with bias, relu and max pool on a GPU is that of the CPU") {
  check_fused(shape(2, 8, 10, 3), shape(3, 3, 3, 5), {}, {});
  check_fused(shape(1, 9, 7, 4), shape(2, 3, 2, 6), {.padding = same_padding, .groups = 2},
              {.window = {3, 2}, .strides = {1, 2}});
  check_fused(shape(0, 8, 8, 1), shape(3, 3, 1, 2), {}, {});
}
