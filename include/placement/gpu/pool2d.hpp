#pragma once
/// Pools and their gradients on a GPU: expressions whose rows are pixels. An element of a gradient
/// gathers those of its windows in their order, so that a result is equal in every run.

#include <placement/gpu/map.hpp>
#include <placement/math/float16.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Positions of a dimension, from `from` to before `to`.
struct index_range {
  index_t from, to;
  PLACEMENT_HD constexpr index_t count() const { return to - from; }
};
/// The elements under the window at a position.
PLACEMENT_HD constexpr index_range window_elements(window_axis const& a, index_t position) {
  index_t const first = position * a.stride - a.before, end = first + a.taps;
  return {first < 0 ? 0 : first, end < a.in ? end : a.in};
}
/// The positions of the windows that contain an element.
PLACEMENT_HD constexpr index_range windows_of(window_axis const& a, index_t element) {
  index_t const last = (element + a.before) / a.stride, past = element + a.before - a.taps;
  return {past < 0 ? 0 : past / a.stride + 1, last < a.out ? last + 1 : a.out};
}

/// What a pool makes of a window: of the elements so far, and of their number.
struct pool_maximum {
  template <class S> PLACEMENT_HD static S join(S best, S v) {
    return v > best || (v != v && best == best) ? v : best;
  }
  template <class S> PLACEMENT_HD static S result(S best, index_t) { return best; }
};
struct pool_mean {
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

    PLACEMENT_HD T operator()(index_t c) const { return vec<1>(c)(0); }
    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      wide result[std::size_t{V}]{};
      PLACEMENT_ROLLED
      for (index_t i = 0; i < rows; ++i) {
        PLACEMENT_ROLLED
        for (index_t j = 0; j < columns; ++j) {
          auto const x = load_vec<V>(first + i * row_step + j * step + c);
          bool const is_first = i == 0 && j == 0 && std::is_same_v<Rule, detail::pool_maximum>;
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v)
            result[v] = is_first ? widened(x.v[v]) : Rule::join(result[v], widened(x.v[v]));
        }
      }
      access_of<T, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v)
        y.v[v] = static_cast<T>(Rule::result(result[v], rows * columns));
      return y;
    }
  };

  detail::pixels_of<T> x;
  detail::window_axis rows, columns;
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
    index_t n, i, j, first;

    PLACEMENT_HD T operator()(index_t c) const { return vec<1>(c)(0); }
    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      return all.template at<V>(n, i, j, first + c);
    }
  };

  detail::pixels_of<T> x, y, g;  ///< x and y: for OfMaximum
  detail::window_axis rows, columns;
  index_t start[4];

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    return {*this, start[0] + c.at[0], start[1] + c.at[1], start[2] + c.at[2], start[3]};
  }
  template <int V>
  PLACEMENT_HD access_of<T, V> at(index_t n, index_t i, index_t j, index_t c) const {
    auto const down = detail::windows_of(rows, i), across = detail::windows_of(columns, j);
    wide sum[std::size_t{V}]{};
    PLACEMENT_ROLLED
    for (index_t r = down.from; r < down.to; ++r) {
      PLACEMENT_ROLLED
      for (index_t s = across.from; s < across.to; ++s) add<V>(sum, n, i, j, c, r, s);
    }
    access_of<T, V> result;
    PLACEMENT_UNROLL
    for (int v = 0; v < V; ++v) result.v[v] = static_cast<T>(sum[v]);
    return result;
  }

 private:
  /// Adds what the window (r, s) gives to element (i, j).
  template <int V>
  PLACEMENT_HD void add(wide (&sum)[std::size_t{V}], index_t n, index_t i, index_t j, index_t c,
                        index_t r, index_t s) const {
    auto const down = detail::window_elements(rows, r);
    auto const across = detail::window_elements(columns, s);
    auto const of = load_vec<V>(g.at(n, r, s) + c);
    if constexpr (OfMaximum) {
      auto const max = load_vec<V>(y.at(n, r, s) + c);
      bool is_first[std::size_t{V}];
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) is_first[v] = true;
      PLACEMENT_ROLLED
      for (index_t a = down.from; a <= i; ++a) {
        PLACEMENT_ROLLED
        for (index_t b = across.from; b < (a == i ? j : across.to); ++b) {
          auto const before = load_vec<V>(x.at(n, a, b) + c);
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v) is_first[v] &= !is_same(before.v[v], max.v[v]);
        }
      }
      auto const here = load_vec<V>(x.at(n, i, j) + c);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v)
        if (is_first[v] && is_same(here.v[v], max.v[v])) sum[v] += widened(of.v[v]);
    } else {
      wide const count = static_cast<wide>(down.count() * across.count());
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) sum[v] += widened(of.v[v]) / count;
    }
  }
  PLACEMENT_HD static bool is_same(T a, T b) {
    wide const x = widened(a), y = widened(b);
    return x == y || (x != x && y != y);
  }
};

namespace detail {
template <class T, class Rule> inline constexpr std::size_t widest<pooled<T, Rule>> = sizeof(T);
template <class T, bool M> inline constexpr std::size_t widest<pool_gradients<T, M>> = sizeof(T);
/// A thread computes one vector at a time.
template <class T, class Rule> inline constexpr int operands_in_memory<pooled<T, Rule>> = 9;
template <class T, bool M> inline constexpr int operands_in_memory<pool_gradients<T, M>> = 9;

/// Cost: one launch per 2^31 results.
template <class Rule, class Grid, class T>
void pool_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* x) {
  constexpr int width = vector_width<T, pooled<T, Rule>>;
  pixels_of<T> const from{x, s.y.in, s.x.in, s.channels};
  map_numbered(grid, out, {s.images, s.y.out, s.x.out, s.channels},
               s.channels % width == 0 && is_aligned<width>(out) && is_aligned<width>(x),
               [&](index_t const(&start)[4]) {
                 return pooled<T, Rule>{from, s.y, s.x, {start[0], start[1], start[2], start[3]}};
               });
}
template <bool OfMaximum, class Grid, class T>
void pool_gradient_on(Grid const& grid, pool2d_sizes const& s, T* out, T const* x, T const* y,
                      T const* g) {
  constexpr int width = vector_width<T, pool_gradients<T, OfMaximum>>;
  pixels_of<T> const images{x, s.y.in, s.x.in, s.channels};
  auto const results = [&](T const* p) {
    return pixels_of<T>{p, s.y.out, s.x.out, s.channels};
  };
  bool const aligned = is_aligned<width>(out) && is_aligned<width>(x) && is_aligned<width>(y) &&
                       is_aligned<width>(g);
  map_numbered(grid, out, {s.images, s.y.in, s.x.in, s.channels},
               s.channels % width == 0 && aligned, [&](index_t const(&start)[4]) {
                 return pool_gradients<T, OfMaximum>{
                     images, results(y), results(g),
                     s.y,    s.x,        {start[0], start[1], start[2], start[3]}};
               });
}

}  // namespace detail
}}  // namespace placement::v0_1
