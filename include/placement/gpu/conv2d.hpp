#pragma once
/// Launches the direct kernel of convolutions and their gradients on a GPU.
///
/// The order of additions depends on the extents only, so that a result is equal in every run.

#include <placement/gpu/conv2d_kernel.hpp>
#include <placement/gpu/sum_of_parts.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Parts of a depth: so many that blocks fill a large GPU, and of some length.
constexpr index_t conv2d_slots(index_t blocks, index_t depth) {
  constexpr index_t shortest = 256, longest = 8192, most = 256, enough = enough_blocks;
  index_t const wanted = enough / (blocks < 1 ? 1 : blocks),
                least = (depth + longest - 1) / longest;
  index_t const slots = wanted > least ? wanted : least, can = depth / shortest;
  index_t const limit = can < most ? can : most;
  return slots < limit ? slots : limit < 1 ? 1 : limit;
}

/// Cost: one launch, or two with scratch memory for the parts of sums.
template <class Kernel, class Grid, class T>
void launch_conv2d(Grid const& grid, conv2d_on_gpu c, index_t rows, index_t depth, T* out,
                   T const* source, T const* other) {
  using carried = typename Kernel::carried;
  auto const tiles = [](index_t n, index_t tile) { return (n + tile - 1) / tile; };
  c.across = tiles(c.columns, Kernel::tile_columns);
  c.down = tiles(rows, Kernel::tile_rows);
  c.slots = 1;
  c.slots = conv2d_slots(c.blocks(), depth);
  // all places in the result are multiples of a group's columns
  bool const in_vectors = c.columns % Kernel::side == 0;
  constexpr int width = Kernel::load_width;
  bool const row_vectors =
      c.source_channels % width == 0 && c.source_group % width == 0 && is_aligned<width>(source);
  bool const column_vectors =
      is_aligned<Kernel::column_width>(other) && c.has_vectors_of_columns(Kernel::column_width);
  int row_bits = 2;
  while (1 << row_bits < Kernel::tile_rows && 1 << row_bits < rows) ++row_bits;
  if (c.slots == 1)
    return grid(Kernel{c, out, nullptr, source, other, in_vectors && is_aligned<Kernel::side>(out),
                       row_vectors, column_vectors, row_bits},
                c.blocks());
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(c.slots * c.result_size) * sizeof(carried));
  auto* const sums = static_cast<carried*>(scratch.data());
  grid(Kernel{c, out, sums, source, other, in_vectors, row_vectors, column_vectors, row_bits},
       c.blocks());
  launch_sum_of_parts(grid, out, sums, c.result_size, c.slots);
}
template <bool OfFilter, class Grid, class T>
void run_conv2d(Grid const& grid, conv2d_on_gpu const& c, index_t rows, index_t depth, T* out,
                T const* source, T const* other) {
  if (c.result_size == 0) return;
  if (c.columns <= 2 * conv2d_kernel<T, OfFilter, true>::tile_columns)
    launch_conv2d<conv2d_kernel<T, OfFilter, true>>(grid, c, rows, depth, out, source, other);
  else launch_conv2d<conv2d_kernel<T, OfFilter, false>>(grid, c, rows, depth, out, source, other);
}

/// A convolution as a product of all results. Its filter's gradient has other results.
constexpr conv2d_on_gpu conv2d_of(conv2d_sizes const& s) {
  index_t const depth = s.channels / s.groups, filters = s.filters / s.groups;
  return {.y = gather_dimension::forward(s.y),
          .x = gather_dimension::forward(s.x),
          .images = s.images,
          .source_channels = s.channels,
          .source_group = depth,
          .pixel_channels = s.filters,
          .pixel_group = filters,
          .filter_width = s.x.taps,
          .tap_size = depth * s.filters,
          .channel_step = s.filters,
          .filter_group = filters,
          .columns = filters,
          .groups = s.groups,
          .result_size = s.all_results()};
}
template <class Grid, class T>
void conv2d_on(Grid const& grid, conv2d_sizes const& s, T* out, T const* x, T const* w) {
  conv2d_on_gpu const c = conv2d_of(s);
  run_conv2d<false>(grid, c, s.images * s.y.out * s.x.out, s.y.taps * s.x.taps * c.source_group,
                    out, x, w);
}
template <class Grid, class T>
void conv2d_gradient_on(Grid const& grid, conv2d_sizes const& s, T* out, T const* w, T const* g) {
  conv2d_on_gpu c = conv2d_of(s);
  c.y = gather_dimension::gradient(s.y);
  c.x = gather_dimension::gradient(s.x);
  std::swap(c.source_channels, c.pixel_channels);
  std::swap(c.source_group, c.pixel_group);
  c.channel_step = 1;
  c.columns = c.pixel_group;
  c.column_step = s.filters;
  c.result_size = s.all_images();
  index_t const taps = (s.y.taps / s.y.stride + 1) * (s.x.taps / s.x.stride + 1);
  run_conv2d<false>(grid, c, s.images * c.y.longest() * c.x.longest(), taps * c.source_group, out,
                    g, w);
}
template <class Grid, class T>
void conv2d_filter_gradient_on(Grid const& grid, conv2d_sizes const& s, T* out, T const* x,
                               T const* g) {
  conv2d_on_gpu c = conv2d_of(s);
  c.result_size = s.filter_size();
  run_conv2d<true>(grid, c, s.y.taps * s.x.taps * c.source_group, s.images * s.y.out * s.x.out, out,
                   x, g);
}

}}}  // namespace placement::v0_1::detail
