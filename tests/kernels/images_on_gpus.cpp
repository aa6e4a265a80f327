// The GPU kernels of convolutions and pools, run by loops on the host, against the CPU's loops. The
// elements are small integers, so that sums are exact in any order.
#include <placement/gpu/lower_custom.hpp>
#include <placement/nets.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>
#include <support/image_loops.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
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

/// A grid whose n-th allocation of scratch memory fails.
struct full_grid : host_grid {
  int* n;
  emulated::host_scratch allocate_scratch(std::size_t bytes) const {
    if (--*n == 0) throw out_of_memory("no memory");
    return host_grid::allocate_scratch(bytes);
  }
};

/// A convolution by transformed tiles and its gradients. A result differs from that of the CPU by
/// at most 16 * 2^-24 times the largest sum of magnitudes of products.
/// bytes: of transformed tiles at once.
void check_winograd(dextents<4> const& images, dextents<4> const& filter, padding2d const& padding,
                    std::size_t bytes = detail::winograd_bytes) {
  INFO(to_string(images) << " with " << to_string(filter));
  using options = detail::run_time_options<conv2d_options>;
  conv2d_op<options> const forward{{{.padding = padding}}};
  dextents<4> const result = forward.result(images, filter);
  test_numbers drawn(static_cast<unsigned>(images.count() + filter.count()));
  auto const fractions = [&](dextents<4> const& shape) {
    array v(shape.count());
    for (float& x : v) x = static_cast<float>(drawn.next(-999, 999)) / 1000;
    return v;
  };
  auto const magnitudes = [](array v) {
    for (float& x : v) x = std::abs(x);
    return v;
  };
  array const a = fractions(images), b = fractions(filter), c = fractions(result);
  array const ma = magnitudes(a), mb = magnitudes(b), mc = magnitudes(c);
  auto const near = [&](auto const& op, dextents<4> const& to, auto const& run, auto const& x,
                        auto const& y, auto const& mx, auto const& my) {
    array expected(to.count()), bound(to.count()), out(to.count() + 1, -7.f);
    op(dense_view<float, dextents<4>>{expected.data(), to}, x, y);
    op(dense_view<float, dextents<4>>{bound.data(), to}, mx, my);
    run(out.data());
    CHECK(out.back() == -7.f);
    float worst = 0;
    for (std::size_t i = 0; i != expected.size(); ++i)
      worst = std::max(worst, std::abs(out[i] - expected[i]));
    CHECK(worst / *std::max_element(bound.begin(), bound.end()) <= 16 * std::ldexp(1.f, -24));
  };
  conv2d_sizes const s = forward.sizes(images, filter);
  auto const x = view_of(a, images), w = view_of(b, filter), g = view_of(c, result);
  auto const mx = view_of(ma, images), mw = view_of(mb, filter), mg = view_of(mc, result);
  near(
      forward, result,
      [&](float* out) {
        detail::winograd_conv2d_on<false>(host_grid{}, s, out, a.data(), b.data(), bytes);
      },
      x, w, mx, mw);
  near(
      conv2d_input_gradient_op<options, dextents<4>>{{{.padding = padding}}, images}, images,
      [&](float* out) {
        detail::winograd_conv2d_on<true>(host_grid{}, s, out, c.data(), b.data(), bytes);
      },
      w, g, mw, mg);
  near(
      conv2d_filter_gradient_op<options, dextents<4>>{{{.padding = padding}}, filter}, filter,
      [&](float* out) {
        detail::winograd_filter_gradient_on(host_grid{}, s, out, a.data(), c.data(), bytes);
      },
      x, g, mx, mg);
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

  // Gradients read the positions that the forward pass kept, and not the bias. A byte does not
  // number the pixels of larger windows.
  if (p.window.height * p.window.width > 255) return;
  auto const on_grid = [&](auto const& op, dextents<4> const& to, auto const&... in) {
    array out(to.count(), -7.f);
    detail::lowering<bare<decltype(op)>>::run(
        host_grid{}, op, dense_view<float, dextents<4>>{out.data(), to}, in...);
    return out;
  };
  conv2d_pool_input_gradient_op<options, pool> of_images{{{o}, {p}}};
  conv2d_pool_filter_gradient_op<options, pool> of_filter{{{o}, {p}}};
  array const dx = on_grid(of_images, images, x, w, bias, g);
  array const dw = on_grid(of_filter, filter, x, w, bias, g);
  conv2d_pool_op<options, pool> keeping = forward;
  of_images.kept.keep();
  of_filter.kept = keeping.kept = of_images.kept;
  on_grid(keeping, result, x, w, bias);
  array const e(c.size(), -1000.f);
  dense_view<float const, dextents<1>> const low{e.data(), per_filter};
  CHECK(on_grid(of_images, images, x, w, low, g) == dx);
  CHECK(on_grid(of_filter, filter, x, w, low, g) == dw);
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

TEST_CASE("depthwise convolutions and their gradients on a GPU are those of the CPU") {
  check_convolution(shape(2, 9, 11, 4), shape(3, 3, 1, 4), {.padding = same_padding, .groups = 4},
                    2);
  check_convolution(shape(2, 9, 8, 7), shape(3, 2, 1, 7), {.strides = {2, 3}, .groups = 7}, 2);
  check_convolution(shape(1, 12, 13, 8), shape(4, 3, 1, 8),
                    {.padding = {3, 1, 2, 0}, .strides = {2, 4}, .dilations = {3, 2}, .groups = 8},
                    2);
  check_convolution(shape(3, 2, 2, 12), shape(5, 5, 1, 12),
                    {.padding = same_padding, .strides = {3, 3}, .groups = 12}, 2);
  check_convolution(shape(1, 1, 9, 6), shape(1, 3, 1, 6), {.groups = 6});  // one row: one part
  check_convolution(shape(0, 5, 5, 3), shape(3, 3, 1, 3), {.groups = 3});
}

TEST_CASE("convolutions by transformed tiles are those of the CPU, to their bound") {
  check_winograd(shape(1, 6, 6, 1), shape(3, 3, 1, 1), {});
  check_winograd(shape(2, 9, 7, 5), shape(3, 3, 5, 3), same_padding);
  check_winograd(shape(3, 4, 13, 40), shape(3, 3, 40, 33), {2, 0, 1, 2});
  check_winograd(shape(1, 12, 12, 300), shape(3, 3, 300, 2), {0, 2, 2, 0});
  for (std::size_t const bytes : {1u, 30'000u, 60'000u})  // a row of tiles has 25,920
    check_winograd(shape(3, 17, 11, 32), shape(3, 3, 32, 28), same_padding, bytes);
}

TEST_CASE("a large convolution without memory for transformed tiles has the direct kernel") {
  dextents<4> const images = shape(2, 60, 60, 65), filter = shape(3, 3, 65, 65);
  using options = detail::run_time_options<conv2d_options>;
  conv2d_options const same{.padding = same_padding};
  conv2d_sizes const s = detail::conv2d_sizes_of(images, filter, same);
  REQUIRE(detail::uses_winograd(s));
  test_numbers drawn(7);
  array const a = numbers(static_cast<index_t>(images.count()), drawn);
  array const b = numbers(static_cast<index_t>(filter.count()), drawn);
  array expected(images.count()), out(images.count()), of_filter(filter.count()),
      expected_of_filter(filter.count());
  auto const x = view_of(a, images), w = view_of(b, filter);
  // whole numbers: only the direct kernel has the bits of the CPU
  conv2d_op<options>{{same}}(dense_view<float, dextents<4>>{expected.data(), images}, x, w);
  array expected_of_images(images.count());
  conv2d_input_gradient_op<options, dextents<4>>{{same}, images}(
      dense_view<float, dextents<4>>{expected_of_images.data(), images}, w, x);
  conv2d_filter_gradient_op<options, dextents<4>>{{same}, filter}(
      dense_view<float, dextents<4>>{expected_of_filter.data(), filter}, x, x);
  int n = 1;
  full_grid const grid{{}, &n};
  detail::convolution_on_gpu::forward(grid, s, out.data(), a.data(), b.data());
  CHECK((n <= 0 && out == expected));
  n = 2;
  detail::convolution_on_gpu::of_images(grid, s, out.data(), b.data(), a.data());
  CHECK((n <= 0 && out == expected_of_images));
  n = 2;
  detail::convolution_on_gpu::of_filter(grid, s, of_filter.data(), a.data(), a.data());
  CHECK((n <= 0 && of_filter == expected_of_filter));
}

TEST_CASE("transformed tiles are used where there are enough channels and whole tiles") {
  auto const used = [](index_t n, index_t side, index_t c, index_t f, conv2d_options const& o,
                       index_t taps = 3) {
    return detail::uses_winograd(
        detail::conv2d_sizes_of(shape(n, side, side, c), shape(taps, taps, c / o.groups, f), o));
  };
  conv2d_options const same{.padding = same_padding};
  CHECK(used(128, 56, 64, 64, same));
  CHECK(used(128, 7, 512, 512, same));
  CHECK(used(1, 1000, 64, 64, {}));
  CHECK(used(128, 14, 1024, 1024, same));
  CHECK_FALSE(used(128, 14, 2048, 2048, same));  // the transformed filter has 600 MB
  CHECK_FALSE(used(0, 56, 64, 64, same));
  CHECK_FALSE(used(128, 0, 64, 64, same));
  CHECK_FALSE(used(128, 56, 16, 64, same));
  CHECK_FALSE(used(1, 14, 64, 64, same));
  CHECK_FALSE(used(128, 5, 512, 512, same));
  CHECK_FALSE(used(128, 56, 64, 64, same, 5));
  CHECK_FALSE(used(128, 56, 64, 64, {.strides = {2, 2}}));
  CHECK_FALSE(used(128, 56, 64, 64, {.dilations = {2, 2}}));
  CHECK_FALSE(used(128, 56, 64, 64, {.groups = 2}));
  CHECK_FALSE(used(128, 56, 64, 64, {.padding = {3, 3, 0, 0}}));
}

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
  check_convolution(shape(2, 5, 6, 7), shape(1, 1, 7, 9), {});  // a product of matrices
  check_convolution(shape(0, 5, 6, 7), shape(1, 1, 7, 9), {});
  check_convolution(shape(2, 5, 6, 0), shape(1, 1, 0, 9), {});
  check_convolution(shape(2, 5, 6, 7), shape(1, 1, 7, 9), {.padding = {1, 0, 0, 0}});
  check_convolution(shape(0, 4, 4, 2), shape(2, 2, 2, 3), {});
  check_convolution(shape(2, 0, 5, 40), shape(3, 3, 40, 40), {.padding = same_padding}, 1);
  check_convolution(shape(2, 4, 4, 0), shape(2, 2, 0, 3), {});
  test_numbers drawn(1);
  for (int i = 0; i != 12; ++i) {
    index_t const groups = drawn.next(1, 3), depth = drawn.next(1, 5);
    conv2d_options const o{.padding = i % 3 == 0 ? same_padding : padding2d{2, 3, 1, 4},
                           .strides = {drawn.next(1, 4), drawn.next(1, 4)},
                           .dilations = {drawn.next(1, 3), drawn.next(1, 3)},
                           .groups = groups};
    // In statements of their own: compilers evaluate arguments in different orders.
    index_t const images = drawn.next(1, 3), height = drawn.next(6, 12), width = drawn.next(6, 12);
    index_t const rows = drawn.next(1, 3), columns = drawn.next(1, 3), filters = drawn.next(1, 9);
    dextents<4> const x = shape(images, height, width, groups * depth),
                      w = shape(rows, columns, depth, groups * filters);
    conv2d_sizes const s = detail::conv2d_sizes_of(x, w, o);
    check_convolution(x, w, o, s.is_depthwise() && s.images * s.y.out > 1 ? 2 : 1);
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
  check_fused(shape(2, 9, 8, 2), shape(3, 3, 2, 8), {.padding = same_padding},
              {.window = {3, 3}, .strides = {2, 2}, .padding = same_padding});
  check_fused(shape(2, 9, 11, 2), shape(2, 2, 2, 4), {}, {.window = {2, 1}, .strides = {3, 2}});
  check_fused(shape(1, 18, 17, 1), shape(1, 1, 1, 2), {}, {.window = {16, 17}});  // over 255 pixels
  check_fused(shape(0, 8, 8, 1), shape(3, 3, 1, 2), {}, {});
}
