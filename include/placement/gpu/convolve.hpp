#pragma once
/// Chooses the kernels of a convolution on a GPU and of its gradients. Filters of one pixel are
/// products of matrices: of all pixels and the filter. Large filters of 3 by 3 are products of
/// transformed tiles. Depthwise filters and all others have kernels of their own.

#include <placement/error.hpp>
#include <placement/gpu/conv2d.hpp>
#include <placement/gpu/depthwise.hpp>
#include <placement/gpu/multiply.hpp>
#include <placement/gpu/winograd.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// c = a b for each matrix of a batch, by the library's kernel or a registered engine, in float.
/// x: the shape of c.
template <class Grid, class X>
void multiply_floats(Grid const& grid, float* out, X const& x, index_t depth,
                     strided_view<float const, X::rank> const& a,
                     strided_view<float const, X::rank> const& b, bool tf32) {
  if constexpr (requires { grid.device(); })
    multiply_on(grid, grid.device(), out, x, depth, a, b, no_epilogue{}, tf32);
  else multiply(grid, out, x, depth, a, b, no_epilogue{});
}
/// A matrix, or with three strides one for each number of a batch.
template <class... Strides>
strided_view<float const, sizeof...(Strides)> matrix_at(float const* p, Strides... strides) {
  return {p, {0, {strides...}}};
}

/// Whether each result depends on one pixel.
constexpr bool is_matrix_product(conv2d_sizes const& s) {
  auto const one = [](window_axis const& a) {
    return a.taps == 1 && a.stride == 1 && a.before == 0 && a.in == a.out;
  };
  return s.groups == 1 && one(s.y) && one(s.x) && s.channels != 0;
}
constexpr index_t number_of_pixels(conv2d_sizes const& s) { return s.images * s.y.out * s.x.out; }

/// Cost: that of matmul.
template <class Grid>
void convolve_pixels(Grid const& grid, conv2d_sizes const& s, float* out, float const* x,
                     float const* w) {
  multiply_floats(grid, out, shape(number_of_pixels(s), s.filters), s.channels,
                  matrix_at(x, s.channels, index_t{1}), matrix_at(w, s.filters, index_t{1}),
                  settings_here().rounds_to_tf32());
}
template <class Grid>
void pixel_gradient(Grid const& grid, conv2d_sizes const& s, float* out, float const* w,
                    float const* g) {
  multiply_floats(grid, out, shape(number_of_pixels(s), s.channels), s.filters,
                  matrix_at(g, s.filters, index_t{1}), matrix_at(w, index_t{1}, s.filters),
                  settings_here().rounds_to_tf32());
}
template <class Grid>
void pixel_filter_gradient(Grid const& grid, conv2d_sizes const& s, float* out, float const* x,
                           float const* g) {
  multiply_floats(grid, out, shape(s.channels, s.filters), number_of_pixels(s),
                  matrix_at(x, index_t{1}, s.channels), matrix_at(g, s.filters, index_t{1}),
                  settings_here().rounds_to_tf32());
}

/// out = the convolution c of x with a filter, whose transform u has a matrix of `channels` rows
/// for each pair of points. Cost: three launches, or a multiple of that for many images.
template <class Grid>
void convolve_tiles(Grid const& grid, winograd_conv2d const& c, float* out, float const* x,
                    strided_view<float const, 3> const& u) {
  using stack = winograd_stack<float, winograd_points>;
  using const_stack = winograd_stack<float const, winograd_points>;
  index_t const at_once = c.rows_at_once(), all = c.rows();
  auto const scratch = grid.allocate_scratch(static_cast<std::size_t>(at_once) * c.bytes_of_row());
  auto* const v = static_cast<float*>(scratch.data());
  for (index_t row = 0; row < all; row += at_once) {
    index_t const tiles = (all - row < at_once ? all - row : at_once) * c.tiles(c.x);
    index_t const images = tiles * c.channels, results = tiles * c.filters;
    float* const m = v + winograd_matrices * images;
    transform_tiles<winograd_images>(grid, c.images_from(row, x), stack{v, images}, images);
    multiply_floats(grid, m, shape(winograd_matrices, tiles, c.filters), c.channels,
                    matrix_at(v, images, c.channels, index_t{1}), u, false);
    transform_tiles<winograd_results<4>>(grid, const_stack{m, results}, c.results_from(row, out),
                                         results);
  }
}

/// The convolution, or with OfImages the gradient of its images: the convolution of the gradient
/// with the flipped filter.
template <bool OfImages, class Grid>
void winograd_conv2d_on(Grid const& grid, conv2d_sizes const& s, float* out, float const* x,
                        float const* w, std::size_t most_bytes = winograd_bytes) {
  winograd_conv2d c{s.images, s.channels, s.filters, s.y, s.x, most_bytes};
  index_t const pairs = s.channels * s.filters;
  auto const scratch = grid.allocate_scratch(c.filter_bytes());
  auto* const u = static_cast<float*>(scratch.data());
  transform_tiles<winograd_filter<3>>(grid, winograd_stack<float const, 3, OfImages>{w, pairs},
                                      winograd_stack<float, winograd_points>{u, pairs}, pairs);
  if constexpr (OfImages) {
    std::swap(c.channels, c.filters);
    for (window_axis* a : {&c.y, &c.x}) {
      std::swap(a->in, a->out);
      a->before = a->taps - 1 - a->before;
    }
    convolve_tiles(grid, c, out, x, matrix_at(u, pairs, index_t{1}, s.filters));
  } else {
    convolve_tiles(grid, c, out, x, matrix_at(u, pairs, s.filters, index_t{1}));
  }
}

/// The gradient of the filter, as if that of a result were the filter. The sums of each part of the
/// images are added to those of the parts before.
template <class Grid>
void winograd_filter_gradient_on(Grid const& grid, conv2d_sizes const& s, float* out,
                                 float const* x, float const* g,
                                 std::size_t most_bytes = winograd_bytes) {
  using stack = winograd_stack<float, winograd_points>;
  winograd_conv2d const c{s.images, s.channels, s.filters, s.y, s.x, most_bytes};
  index_t const at_once = c.rows_at_once(), all = c.rows();
  index_t const pairs = s.channels * s.filters, sums = winograd_matrices * pairs;
  auto const scratch = grid.allocate_scratch(static_cast<std::size_t>(at_once) * c.bytes_of_row());
  auto const of_sums = grid.allocate_scratch(c.filter_bytes() * (at_once < all ? 2 : 1));
  auto* const v = static_cast<float*>(scratch.data());
  auto* const m = static_cast<float*>(of_sums.data());
  for (index_t row = 0; row < all; row += at_once) {
    index_t const tiles = (all - row < at_once ? all - row : at_once) * c.tiles(c.x);
    index_t const images = tiles * c.channels, results = tiles * c.filters;
    float* const d = v + winograd_matrices * images;
    transform_tiles<winograd_images>(grid, c.images_from(row, x), stack{v, images}, images);
    transform_tiles<winograd_filter<4>>(grid, c.results_from(row, g), stack{d, results}, results);
    multiply_floats(grid, m + (row == 0 ? 0 : sums),
                    shape(winograd_matrices, s.channels, s.filters), tiles,
                    matrix_at(v, images, index_t{1}, c.channels),
                    matrix_at(d, results, c.filters, index_t{1}), false);
    if (row != 0) launch_sum_of_parts(grid, m, m, sums, 2);
  }
  transform_tiles<winograd_results<3>>(grid, winograd_stack<float const, winograd_points>{m, pairs},
                                       winograd_stack<float, 3>{out, pairs}, pairs);
}

/// Convolutions and their gradients on a GPU. Where scratch memory for transformed tiles is not
/// free, the direct kernel computes them: its last bits differ.
struct convolution_on_gpu {
  template <class Grid, class T>
  static void forward(Grid const& grid, conv2d_sizes const& s, T* out, T const* x, T const* w) {
    if constexpr (std::is_same_v<T, float>) {
      if (s.all_results() == 0) return;
      if (is_matrix_product(s)) return convolve_pixels(grid, s, out, x, w);
      if (by_tiles(s, [&] { winograd_conv2d_on<false>(grid, s, out, x, w); })) return;
    }
    if (s.is_depthwise())
      return depthwise_on(grid, s, out, x, w, gather_dimension::forward(s.y),
                          gather_dimension::forward(s.x));
    conv2d_on(grid, s, out, x, w);
  }
  template <class Grid, class T>
  static void of_images(Grid const& grid, conv2d_sizes const& s, T* out, T const* w, T const* g) {
    if constexpr (std::is_same_v<T, float>) {
      if (s.all_images() == 0) return;
      if (is_matrix_product(s)) return pixel_gradient(grid, s, out, w, g);
      if (by_tiles(s, [&] { winograd_conv2d_on<true>(grid, s, out, g, w); })) return;
    }
    if (s.is_depthwise())
      return depthwise_on(grid, s, out, g, w, gather_dimension::gradient(s.y),
                          gather_dimension::gradient(s.x));
    conv2d_gradient_on(grid, s, out, w, g);
  }
  template <class Grid, class T>
  static void of_filter(Grid const& grid, conv2d_sizes const& s, T* out, T const* x, T const* g) {
    if constexpr (std::is_same_v<T, float>) {
      if (s.filter_size() == 0) return;
      if (is_matrix_product(s)) return pixel_filter_gradient(grid, s, out, x, g);
      if (by_tiles(s, [&] { winograd_filter_gradient_on(grid, s, out, x, g); })) return;
    }
    if (s.is_depthwise() && s.filter_size() != 0)
      return depthwise_filter_gradient_on(grid, s, out, x, g);
    conv2d_filter_gradient_on(grid, s, out, x, g);
  }

 private:
  /// Returns false if there are no products of tiles, or no memory for them.
  template <class F> static bool by_tiles(conv2d_sizes const& s, F const& f) {
    if (!uses_winograd(s)) return false;
    try {
      f();
    } catch (out_of_memory const&) { return false; }
    return true;
  }
};

}}}  // namespace placement::v0_1::detail
