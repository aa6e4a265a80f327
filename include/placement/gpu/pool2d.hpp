#pragma once
/// Pools and their gradients on a GPU: expressions whose rows are pixels. An element of a gradient
/// gathers those of its windows in their order, so that a result is equal in every run.

#include <placement/gpu/collapse.hpp>
#include <placement/gpu/pool_windows.hpp>
#include <placement/gpu/tile.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// What a pool makes of a window: of the elements so far, and of their number.
struct pool_maximum {
  static constexpr bool starts_at_first = true;
  template <class S> PLACEMENT_HD static S join(S best, S v) {
    return v > best || (v != v && best == best) ? v : best;
  }
  template <class S> PLACEMENT_HD static S result(S best, index_t) { return best; }
};
struct pool_mean {
  static constexpr bool starts_at_first = false;
  template <class S> PLACEMENT_HD static S join(S sum, S v) { return sum + v; }
  template <class S> PLACEMENT_HD static S result(S sum, index_t n) {
    return sum / static_cast<S>(n);
  }
};

/// Pixels of images: (n, i, j, c) is at p + ((n * rows + i) * columns + j) * channels + c.
template <class T> struct pixels_of {
  T const* p;
  index_t rows, columns, channels;

  PLACEMENT_HD T const* at(index_t n, index_t i, index_t j) const {
    return p + ((n * rows + i) * columns + j) * channels;
  }
};

}  // namespace detail

/// Element (n, i, j, c) is Rule's result of a window of channel c.
template <class T, class Rule> struct pooled {
  using wide = computed_in<T>;
  struct row_type {
    T const* first;  ///< of the window
    index_t rows, columns, row_step, step;

    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      wide result[std::size_t{V}]{};
      if constexpr (Rule::starts_at_first) {
        auto const loaded = load_vec<V>(first + c);
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) result[v] = widened(loaded.v[v]);
      }
      PLACEMENT_ROLLED
      for (index_t i = 0; i < rows; ++i) {
        PLACEMENT_ROLLED
        for (index_t j = 0; j < columns; ++j) {
          auto const loaded = load_vec<V>(first + i * row_step + j * step + c);
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v) result[v] = Rule::join(result[v], widened(loaded.v[v]));
        }
      }
      access_of<T, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = static_cast<T>(Rule::result(result[v], rows * columns));
      return y;
    }
  };

  detail::pixels_of<T> x;
  window_axis rows, columns;
  index_t start[4];  ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    auto const i = detail::window_elements(rows, start[1] + c.at[1]);
    auto const j = detail::window_elements(columns, start[2] + c.at[2]);
    return {x.at(start[0] + c.at[0], i.from, j.from) + start[3], i.count(), j.count(),
            x.columns * x.channels, x.channels};
  }
};

/// Element (n, i, j, c) is the gradient of an element of images. OfMaximum: each window's gradient
/// belongs to its first maximum; otherwise a window's elements share it.
template <class T, bool OfMaximum> struct pool_gradients {
  using wide = computed_in<T>;
  struct row_type {
    pool_gradients const& all;
    T const* here;   ///< the element, for OfMaximum
    index_t window;  ///< the result of the first window that contains the pixel
    detail::pixel_windows down, across;

    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      wide sum[std::size_t{V}]{};
      PLACEMENT_ROLLED
      for (int r = 0; r < down.count; ++r) {
        index_t at = window + r * all.columns.out * all.channels + c;
        PLACEMENT_ROLLED
        for (int s = 0; s < across.count; ++s, at += all.channels) {
          int const up = down.before_of(r, all.rows), left = across.before_of(s, all.columns);
          int const width = left + across.after_of(s, all.columns);
          if constexpr (OfMaximum) {
            all.template add_maximum<V>(sum, here + c, at, up, left, width);
          } else {
            wide const count = static_cast<wide>(index_t{up + down.after_of(r, all.rows)} * width);
            auto const of = load_vec<V>(all.g + at);
            PLACEMENT_UNROLL
            for (int v = 0; v < V; ++v) sum[v] += widened(of.v[v]) / count;
          }
        }
      }
      access_of<T, V> result;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) result.v[v] = static_cast<T>(sum[v]);
      return result;
    }
  };

  T const *x, *y, *g;  ///< x and y: for OfMaximum
  index_t channels;
  window_axis rows, columns;
  detail::windows_of_elements down, across;
  index_t start[4];

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    index_t const n = start[0] + c.at[0], i = start[1] + c.at[1], j = start[2] + c.at[2];
    auto const r = down.of(c.at[1]), s = across.of(c.at[2]);
    return {*this, x + ((n * rows.in + i) * columns.in + j) * channels + start[3],
            ((n * rows.out + r.from) * columns.out + s.from) * channels + start[3],
            detail::pixel_windows(rows, i, r), detail::pixel_windows(columns, j, s)};
  }

 private:
  /// Adds the gradient of a window if its first maximum is the element. up, left: the rows and
  /// columns of the window before it.
  template <int V>
  PLACEMENT_HD void add_maximum(wide (&sum)[std::size_t{V}], T const* here, index_t at, int up,
                                int left, int width) const {
    auto const max = load_vec<V>(y + at);
    auto const element = load_vec<V>(here);
    auto const gradient = load_vec<V>(g + at);
    wide of[std::size_t{V}];
    PLACEMENT_UNROLL
    for (int v = 0; v < V; ++v)
      of[v] = is_same(element.v[v], max.v[v]) ? widened(gradient.v[v]) : wide{};
    T const* before = here - (up * columns.in + left) * channels;
    index_t const to_next_row = (columns.in - width) * channels;
    int column = 0;
    PLACEMENT_ROLLED
    for (index_t k = index_t{up} * width + left; k > 0; --k, before += channels) {
      if (column++ == width) {
        column = 1;
        before += to_next_row;
      }
      auto const other = load_vec<V>(before);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v)
        if (is_same(other.v[v], max.v[v])) of[v] = wide{};
    }
    PLACEMENT_UNROLL
    for (int v = 0; v < V; ++v) sum[v] += of[v];
  }
  PLACEMENT_HD static bool is_same(T a, T b) {
    wide const x = widened(a), y = widened(b);
    return x == y || (x != x && y != y);
  }
};

/// Vectors of V channels of f's pixels. A thread computes one: its loops are not unrolled beside
/// those of others.
template <class T, class F, int V> struct map_pixels {
  using local = detail::no_local;
  static constexpr std::size_t shared_bytes = 0;

  T* out;
  index_t n;  ///< vectors
  numbering<4> shape;
  F f;

  constexpr index_t blocks() const { return (n + block_threads - 1) / block_threads; }
  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local&) {
      index_t const i = block.number() * block_threads + thread;
      if (i >= n) return;
      auto const c = shape.element(static_cast<std::uint32_t>(i));
      store_vec<T, V>(out + i * V, f.row(c).template vec<V>(c.at[3] * V));
    });
  }
};

namespace detail {

/// The channels of a thread: 16 bytes of the type in which they are computed.
template <class T>
inline constexpr int vector_of = static_cast<int>(access_bytes / sizeof(computed_in<T>));

/// Writes images of these extents. f_of(start): what computes the piece from there on. Cost: one
/// launch per 2^31 vectors.
template <int V, class Grid, class T, class Rows>
void launch_vectors(Grid const& grid, T* out, index_t const (&extents)[4], Rows const& f_of) {
  index_t const vectors[4]{extents[0], extents[1], extents[2], extents[3] / V};
  for (pieces<4> p(vectors, max_piece_of(grid)); p; p.next()) {
    auto const f = f_of({p.start[0], p.start[1], p.start[2], p.start[3] * V});
    map_pixels<T, std::remove_const_t<decltype(f)>, V> const all{out + p.first * V, p.count(),
                                                                 numbering<4>(p.extent, 0), f};
    grid(all, all.blocks());
  }
}
template <class Grid, class T, class Rows>
void launch_pixels(Grid const& grid, T* out, index_t const (&extents)[4], bool aligned,
                   Rows const& f_of) {
  constexpr int width = vector_of<T>;
  if (aligned && extents[3] % width == 0 && is_aligned<width>(out))
    launch_vectors<width>(grid, out, extents, f_of);
  else launch_vectors<1>(grid, out, extents, f_of);
}

template <class Rule, class Grid, class T>
void pool_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* x) {
  pixels_of<T> const from{x, s.y.in, s.x.in, s.channels};
  launch_pixels(grid, out, {s.images, s.y.out, s.x.out, s.channels}, is_aligned<vector_of<T>>(x),
                [&](index_t const(&start)[4]) {
                  return pooled<T, Rule>{from, s.y, s.x, {start[0], start[1], start[2], start[3]}};
                });
}
template <bool OfMaximum, class Grid, class T>
void pool_gradient_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* x, T const* y,
                      T const* g) {
  constexpr int width = vector_of<T>;
  launch_pixels(grid, out, {s.images, s.y.in, s.x.in, s.channels},
                is_aligned<width>(x) && is_aligned<width>(y) && is_aligned<width>(g),
                [&](index_t const(&start)[4]) {
                  return pool_gradients<T, OfMaximum>{x,
                                                      y,
                                                      g,
                                                      s.channels,
                                                      s.y,
                                                      s.x,
                                                      {s.y, start[1]},
                                                      {s.x, start[2]},
                                                      {start[0], start[1], start[2], start[3]}};
                });
}

}  // namespace detail
}}  // namespace placement::v0_1
