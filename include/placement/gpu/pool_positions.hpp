#pragma once
/// A max pool of relu(x + bias) on a GPU that stores the positions of maxima, and the gradient that
/// reads them.

#include <placement/gpu/pool2d.hpp>

namespace placement { inline namespace v0_1 {

/// Element (n, i, j, c) is the maximum of relu(x + bias) in a window of channel c. Beside it: which
/// pixel of the window is the first maximum, row by row; `taps` where the gradient is 0.
template <class T> struct pooled_activations {
  struct row_type {
    T const *first, *bias;     ///< first: of the window
    unsigned char* positions;  ///< null: none are stored
    index_t rows, columns, row_step, step;
    int place, width, taps;  ///< the first pixel's in the window, a row's and the window's pixels

    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      auto const offset = load_vec<V>(bias + c);
      auto best = load_vec<V>(first + c);
      access_of<unsigned char, V> at;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) {
        best.v[v] = best.v[v] + offset.v[v];
        at.v[v] = static_cast<unsigned char>(place);
      }
      PLACEMENT_ROLLED
      for (index_t i = 0; i < rows; ++i) {
        int here = place + static_cast<int>(i) * width;
        PLACEMENT_ROLLED
        for (index_t j = 0; j < columns; ++j, ++here) {
          auto const loaded = load_vec<V>(first + i * row_step + j * step + c);
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v) {
            T const sum = loaded.v[v] + offset.v[v];
            if (sum > best.v[v] || (sum != sum && best.v[v] == best.v[v])) {
              best.v[v] = sum;
              at.v[v] = static_cast<unsigned char>(here);
            }
          }
        }
      }
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) {
        if (!(best.v[v] > T{})) at.v[v] = static_cast<unsigned char>(taps);
        if (best.v[v] <= T{}) best.v[v] = T{};
      }
      if (positions != nullptr) store_vec<unsigned char, V>(positions + c, at);
      return best;
    }
  };

  detail::pixels_of<T> x;
  T const* bias;
  unsigned char* positions;
  window_axis rows, columns;
  index_t start[4];  ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    index_t const n = start[0] + c.at[0], i = start[1] + c.at[1], j = start[2] + c.at[2];
    auto const down = detail::window_elements(rows, i),
               across = detail::window_elements(columns, j);
    index_t const above = down.from - (i * rows.stride - rows.before),
                  left = across.from - (j * columns.stride - columns.before);
    unsigned char* const to =
        positions == nullptr
            ? nullptr
            : positions + ((n * rows.out + i) * columns.out + j) * x.channels + start[3];
    return {x.at(n, down.from, across.from) + start[3],
            bias + start[3],
            to,
            down.count(),
            across.count(),
            x.columns * x.channels,
            x.channels,
            static_cast<int>(above * columns.taps + left),
            static_cast<int>(columns.taps),
            static_cast<int>(rows.taps * columns.taps)};
  }
};

/// Element (n, i, j, c) is the sum of the gradients of those windows whose stored position is its
/// own.
template <class T> struct unpooled {
  struct row_type {
    unpooled const& all;
    index_t window;  ///< the result of the first window that contains the pixel
    detail::pixel_windows down, across;

    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      auto sum = repeated<V>(T{});
      PLACEMENT_ROLLED
      for (int r = 0; r < down.count; ++r) {
        index_t from = window + r * all.columns.out * all.channels + c;
        int place = (down.place - r * static_cast<int>(all.rows.stride)) *
                        static_cast<int>(all.columns.taps) +
                    across.place;
        PLACEMENT_ROLLED
        for (int s = 0; s < across.count; ++s) {
          auto const of = load_vec<V>(all.g + from);
          auto const at = load_vec<V>(all.positions + from);
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v) sum.v[v] += at.v[v] == place ? of.v[v] : T{};
          from += all.channels;
          place -= static_cast<int>(all.columns.stride);
        }
      }
      return sum;
    }
  };

  T const* g;
  unsigned char const* positions;
  index_t channels;
  window_axis rows, columns;
  detail::windows_of_elements down, across;
  index_t start[4];

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    index_t const n = start[0] + c.at[0], i = start[1] + c.at[1], j = start[2] + c.at[2];
    auto const r = down.of(c.at[1]), s = across.of(c.at[2]);
    return {*this, ((n * rows.out + r.from) * columns.out + s.from) * channels + start[3],
            detail::pixel_windows(rows, i, r), detail::pixel_windows(columns, j, s)};
  }
};

namespace detail {

/// positions: null, or as many bytes as results.
template <class Grid, class T>
void activation_pool_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* x, T const* bias,
                        unsigned char* positions) {
  pixels_of<T> const from{x, s.y.in, s.x.in, s.channels};
  launch_pixels(grid, out, {s.images, s.y.out, s.x.out, s.channels},
                is_aligned<vector_of<T>>(x) && is_aligned<vector_of<T>>(bias),
                [&](index_t const(&start)[4]) {
                  return pooled_activations<T>{
                      from, bias, positions, s.y, s.x, {start[0], start[1], start[2], start[3]}};
                });
}
template <class Grid, class T>
void unpool_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* g,
               unsigned char const* positions) {
  launch_pixels(
      grid, out, {s.images, s.y.in, s.x.in, s.channels}, is_aligned<vector_of<T>>(g),
      [&](index_t const(&start)[4]) {
        return unpooled<T>{
            g,   positions,       s.channels,      s.y,
            s.x, {s.y, start[1]}, {s.x, start[2]}, {start[0], start[1], start[2], start[3]}};
      });
}

}  // namespace detail
}}  // namespace placement::v0_1
