#pragma once
/// The gradient of batch normalisation with a max pool on a GPU: that of the pool, then the part
/// through the moments.

#include <placement/gpu/pool2d.hpp>

namespace placement { inline namespace v0_1 {

/// d - (x - mean) * of_x - shift, with one mean, of_x and shift for each of the channels.
template <class T> struct moment_gradient {
  T const *d, *x, *mean, *of_x, *shift;
  index_t channels;

  PLACEMENT_HD T operator()(index_t i) const { return vec<1>(i)(0); }
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t i) const {
    auto y = load_vec<V>(d + i);
    auto const of = load_vec<V>(x + i);
    index_t channel = i % channels;
    PLACEMENT_UNROLL
    for (int j = 0; j < V; ++j) {
      y.v[j] = y.v[j] - (of.v[j] - mean[channel]) * of_x[channel] - shift[channel];
      channel = channel + 1 == channels ? 0 : channel + 1;
    }
    return y;
  }
};

namespace detail {
template <class T> inline constexpr std::size_t widest<moment_gradient<T>> = sizeof(T);

/// Cost: two launches or more.
template <class Grid, class T>
void batch_norm_pool_gradient_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* y,
                                 T const* g, moment_gradient<T> const& moments) {
  constexpr int width = vector_of<T>;
  pool_gradient_on<true>(grid, s, out, moments.x, y, g);
  bool const aligned = is_aligned<width>(out) && is_aligned<width>(moments.x) &&
                       s.in() % vector_width<T, moment_gradient<T>> == 0;
  launch_tiles(grid, dense_result<T>{out}, s.in(), moments, aligned);
}
}  // namespace detail

}}  // namespace placement::v0_1
