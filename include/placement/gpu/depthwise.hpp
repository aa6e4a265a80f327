#pragma once
/// Depthwise convolutions and their gradients on a GPU: a thread computes neighbouring channels of
/// a pixel, or of a tap of the filter. The order of additions depends on the extents only.

#include <placement/gpu/conv2d_places.hpp>
#include <placement/gpu/pool2d.hpp>
#include <placement/gpu/sum_of_parts.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// The taps that position i of a dimension reads: tap number tap + t * tap_step reads element
/// source + t * tap_source, for t below `taps`.
struct read_taps {
  index_t source, tap_source;
  index_t tap, tap_step;
  index_t taps;

  PLACEMENT_HD static read_taps of(detail::gather_dimension const& d, index_t i) {
    if (!d.is_gradient) return {i * d.stride - d.before, d.dilation, 0, 1, d.taps};
    if (d.stride == 1) return {i + d.before, -d.dilation, 0, 1, d.taps};
    detail::window_phase const p = d.phase(i % d.phases);
    return {p.source + i / d.phases, p.tap_source, p.tap, p.tap_step, p.taps};
  }
};

/// Element (n, i, j, c) is the sum over taps of x(n, row of the tap, column of the tap, c) w(tap,
/// c): a result, or with dimensions of a gradient the gradient of an image.
template <class T> struct depthwise_images {
  using wide = computed_in<T>;
  struct row_type {
    depthwise_images const& all;
    T const* image;
    read_taps down, across;

    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t c) const {
      wide sum[std::size_t{V}]{};
      PLACEMENT_ROLLED
      for (index_t t = 0; t < down.taps; ++t) {
        index_t const i = down.source + t * down.tap_source;
        if (i < 0 || i >= all.x.rows) continue;
        T const* const weights = all.w + (down.tap + t * down.tap_step) * all.filter_row + c;
        PLACEMENT_ROLLED
        for (index_t u = 0; u < across.taps; ++u) {
          index_t const j = across.source + u * across.tap_source;
          if (j < 0 || j >= all.x.columns) continue;
          auto const a = load_vec<V>(image + (i * all.x.columns + j) * all.x.channels + c);
          auto const b = load_vec<V>(weights + (across.tap + u * across.tap_step) * all.x.channels);
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v) sum[v] += widened(a.v[v]) * widened(b.v[v]);
        }
      }
      access_of<T, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = static_cast<T>(sum[v]);
      return y;
    }
  };

  detail::pixels_of<T> x;
  T const* w;
  index_t filter_row;  ///< elements from row to row of the filter
  detail::gather_dimension rows, columns;
  index_t start[4];  ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    return {*this, x.at(start[0] + c.at[0], 0, 0) + start[3],
            read_taps::of(rows, start[1] + c.at[1]), read_taps::of(columns, start[2] + c.at[2])};
  }
};

/// Element (part, ky, kx, c) is the sum over the pixels of a part of the result's rows: of x under
/// the tap times g. Out: the type of the sums.
template <class T, class Out> struct depthwise_filters {
  using wide = computed_in<T>;
  struct row_type {
    depthwise_filters const& all;
    index_t part, ky, kx;

    template <int V> PLACEMENT_HD access_of<Out, V> vec(index_t c) const {
      wide sum[std::size_t{V}]{};
      index_t const last = all.count * (part + 1) / all.parts;
      index_t const left = kx * all.columns.dilation - all.columns.before;
      PLACEMENT_ROLLED
      for (index_t r = all.count * part / all.parts; r < last; ++r) {
        index_t const n = r / all.rows.out;
        index_t const i =
            (r - n * all.rows.out) * all.rows.stride + ky * all.rows.dilation - all.rows.before;
        if (i < 0 || i >= all.rows.in) continue;
        T const* const images = all.x.at(n, i, 0) + all.start + c;
        T const* const gradients = all.g + r * all.columns.out * all.x.channels + all.start + c;
        PLACEMENT_ROLLED
        for (index_t j = 0; j < all.columns.out; ++j) {
          index_t const k = j * all.columns.stride + left;
          if (k < 0 || k >= all.columns.in) continue;
          auto const a = load_vec<V>(images + k * all.x.channels);
          auto const b = load_vec<V>(gradients + j * all.x.channels);
          PLACEMENT_UNROLL
          for (int v = 0; v < V; ++v) sum[v] += widened(a.v[v]) * widened(b.v[v]);
        }
      }
      access_of<Out, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = static_cast<Out>(sum[v]);
      return y;
    }
  };

  detail::pixels_of<T> x;
  T const* g;
  window_axis rows, columns;
  index_t count, parts;     ///< rows of all results
  index_t first[3], start;  ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<4> const& c) const {
    return {*this, first[0] + c.at[0], first[1] + c.at[1], first[2] + c.at[2]};
  }
};

namespace detail {

/// Cost: one launch.
template <class Grid, class T>
void depthwise_on(Grid const& grid, conv2d_sizes const& s, T* out, T const* x, T const* w,
                  gather_dimension const& rows, gather_dimension const& columns) {
  constexpr int width = vector_of<T>;
  launch_pixels(
      grid, out, {s.images, rows.out, columns.out, s.channels},
      is_aligned<width>(x) && is_aligned<width>(w), [&](index_t const(&start)[4]) {
        return depthwise_images<T>{
            {x, rows.in, columns.in, s.channels},    w, s.x.taps * s.channels, rows, columns,
            {start[0], start[1], start[2], start[3]}};
      });
}
template <class Out, class Grid, class T>
void launch_depthwise_filters(Grid const& grid, conv2d_sizes const& s, Out* out, index_t parts,
                              T const* x, T const* g) {
  constexpr int width = vector_of<T>;
  launch_pixels(grid, out, {parts, s.y.taps, s.x.taps, s.channels},
                is_aligned<width>(x) && is_aligned<width>(g), [&](index_t const(&start)[4]) {
                  return depthwise_filters<T, Out>{
                      {x, s.y.in, s.x.in, s.channels}, g,       s.y, s.x, s.images * s.y.out, parts,
                      {start[0], start[1], start[2]},  start[3]};
                });
}
/// Cost: one launch, or two with scratch memory for the parts of sums.
template <class Grid, class T>
void depthwise_filter_gradient_on(Grid const& grid, conv2d_sizes const& s, T* out, T const* x,
                                  T const* g) {
  constexpr index_t threads = index_t{1} << 17, most = 256;
  index_t const rows = s.images * s.y.out;
  index_t const wanted = (threads * vector_of<T> + s.filter_size() - 1) / s.filter_size();
  index_t const limit = rows < most ? rows : most, parts = wanted < limit ? wanted : limit;
  if (parts <= 1) return launch_depthwise_filters(grid, s, out, 1, x, g);
  using carried = computed_in<T>;
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(parts * s.filter_size()) * sizeof(carried));
  auto* const sums = static_cast<carried*>(scratch.data());
  launch_depthwise_filters(grid, s, sums, parts, x, g);
  launch_sum_of_parts(grid, out, sums, s.filter_size(), parts);
}

}  // namespace detail
}}  // namespace placement::v0_1
