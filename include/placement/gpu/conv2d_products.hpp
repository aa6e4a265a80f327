#pragma once
/// Convolutions by filters of one pixel, and their gradients, as products of matrices: of all
/// pixels and the filter.

#include <placement/gpu/gemm.hpp>
#include <placement/shape/window.hpp>

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

}}}  // namespace placement::v0_1::detail
