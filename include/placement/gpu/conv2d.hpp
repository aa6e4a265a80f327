#pragma once
/// Convolutions and their gradients on a GPU: an implicit matrix product. A block computes a tile
/// of the result. Its operands go through shared memory, and no matrix of windows is in memory.
///
/// The order of additions depends on the extents only, so that a result is equal in every run.

#include <placement/gpu/conv2d_parts.hpp>
#include <placement/gpu/conv2d_places.hpp>
#include <placement/gpu/tile.hpp>
#include <placement/math/float16.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

/// A tile of a convolution, or of a part of its sums. Rows are pixels, or with OfFilter elements of
/// the filter; columns are channels of the result. Narrow: for at most 16 columns.
template <class T, bool OfFilter, bool Narrow> struct conv2d_kernel {
  using carried = computed_in<T>;
  static constexpr int depth_tile = sizeof(carried) <= 4 ? 16 : 8;
  static constexpr int side = 4;  ///< adjacent rows or columns of a thread
  static constexpr int runs = Narrow ? 1 : 2;
  static constexpr int column_threads = Narrow ? 4 : 16;
  static constexpr int row_threads = block_threads / column_threads;
  static constexpr int tile_rows = row_threads * side * runs, tile_columns = column_threads * side;
  static constexpr int row_pitch = tile_rows + side, column_pitch = tile_columns + side;
  static constexpr int row_loads = tile_rows * depth_tile / block_threads;
  static constexpr int column_loads =
      tile_columns * depth_tile <= block_threads ? 1 : tile_columns * depth_tile / block_threads;
  struct memory {
    alignas(16) carried a[std::size_t{depth_tile * row_pitch}];
    alignas(16) carried b[std::size_t{depth_tile * column_pitch}];
    detail::conv2d_place row[std::size_t{tile_rows}];
    detail::conv2d_place depth[2][std::size_t{depth_tile}];
    detail::conv2d_part part;
  };
  static constexpr std::size_t shared_bytes = sizeof(memory);
  struct local {
    carried sum[std::size_t{side * runs}][std::size_t{side}];
    carried a[std::size_t{row_loads}], b[std::size_t{column_loads}];
    detail::mixed_radix next;  ///< of the depth whose place this thread computes
  };

  detail::conv2d_on_gpu of;
  T* out;
  carried* sums;  ///< of parts of the depth, in place of `out`; null if there is one part
  T const *source, *other;
  bool stores_vectors;  ///< the adjacent results of a thread are one access

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    memory& m = *static_cast<memory*>(block.shared());
    block.each([&](int thread, local&) {
      if (thread == 0)
        m.part = of.template part<OfFilter>(block.number(), tile_rows, depth_tile, tile_columns);
    });
    block.each([&](int thread, local& mine) {
      PLACEMENT_UNROLL
      for (int i = 0; i < side * runs; ++i) {
        PLACEMENT_UNROLL
        for (int j = 0; j < side; ++j) mine.sum[i][j] = carried{};
      }
      if (thread < tile_rows) m.row[thread] = of.template row<OfFilter>(m.part, thread);
      if (thread < depth_tile) {
        mine.next = m.part.depth_at(m.part.begin + thread);
        put_depth(m, 0, m.part.begin, thread, mine);
      }
    });
    block.each([&](int thread, local& mine) {
      load(m, 0, thread, mine);
      put_depth(m, 1, m.part.begin + depth_tile, thread, mine);
    });
    int slot = 0;
    PLACEMENT_ROLLED
    for (index_t k = m.part.begin; k < m.part.end; k += depth_tile, slot ^= 1) {
      block.each([&](int thread, local& mine) { store_shared(m, thread, mine); });
      block.each([&](int thread, local& mine) {
        load(m, slot ^ 1, thread, mine);
        put_depth(m, slot, k + 2 * depth_tile, thread, mine);
        multiply(m, thread, mine);
      });
    }
    block.each_without_barrier([&](int thread, local& mine) { write(m, thread, mine); });
  }

 private:
  /// The place of depth k + thread, and the next number.
  PLACEMENT_HD void put_depth(memory& m, int slot, index_t k, int thread, local& mine) const {
    if (thread >= depth_tile) return;
    m.depth[slot][thread] = of.template depth<OfFilter>(m.part, mine.next, k + thread < m.part.end);
    mine.next = mine.next.plus(m.part.step, m.part.radix);
  }

  /// An element of a tile that a thread loads: its l-th is (i + l * di, k + l * dk).
  struct loaded {
    int i, k, di, dk;
  };
  PLACEMENT_HD static constexpr loaded loaded_by(int thread, int tile, bool along_depth) {
    if (along_depth)
      return {thread / depth_tile, thread % depth_tile, block_threads / depth_tile, 0};
    return {thread % tile, thread / tile, 0, block_threads / tile};
  }
  PLACEMENT_HD static constexpr loaded row_loaded(int thread) {
    return loaded_by(thread, tile_rows, !OfFilter);
  }
  PLACEMENT_HD loaded column_loaded(int thread) const {
    return loaded_by(thread, tile_columns, of.column_step != 1);
  }

  /// Loads a thread's elements of the next tiles; zeros outside of the images and the depth.
  PLACEMENT_HD void load(memory const& m, int slot, int thread, local& mine) const {
    loaded const r = row_loaded(thread), c = column_loaded(thread);
    PLACEMENT_UNROLL
    for (int l = 0; l < row_loads; ++l) {
      auto const& row = m.row[r.i + l * r.di];
      auto const& depth = m.depth[slot][r.k + l * r.dk];
      mine.a[l] = of.is_inside(row.y + depth.y, row.x + depth.x)
                      ? widened(source[row.at + depth.at])
                      : carried{};
    }
    index_t const left = of.columns - m.part.first_column;
    PLACEMENT_UNROLL
    for (int l = 0; l < column_loads; ++l) {
      int const i = c.i + l * c.di, k = c.k + l * c.dk;
      index_t const at = k < depth_tile ? m.depth[slot][k].other : -1;
      mine.b[l] = at >= 0 && i < tile_columns && i < left
                      ? widened(other[at + (m.part.first_column + i) * of.column_step])
                      : carried{};
    }
  }
  PLACEMENT_HD void store_shared(memory& m, int thread, local const& mine) const {
    loaded const r = row_loaded(thread), c = column_loaded(thread);
    PLACEMENT_UNROLL
    for (int l = 0; l < row_loads; ++l)
      m.a[(r.k + l * r.dk) * row_pitch + r.i + l * r.di] = mine.a[l];
    PLACEMENT_UNROLL
    for (int l = 0; l < column_loads; ++l) {
      int const i = c.i + l * c.di, k = c.k + l * c.dk;
      if (k < depth_tile && i < tile_columns) m.b[k * column_pitch + i] = mine.b[l];
    }
  }
  PLACEMENT_HD static constexpr int row_run(int thread, int r) {
    return (r * row_threads + thread / column_threads) * side;
  }
  PLACEMENT_HD static constexpr int column_run(int thread) {
    return thread % column_threads * side;
  }

  PLACEMENT_HD void multiply(memory const& m, int thread, local& mine) const {
    carried const* const a = m.a + row_run(thread, 0);
    carried const* const b = m.b + column_run(thread);
    constexpr int at_once = 4;
    PLACEMENT_ROLLED
    for (int from = 0; from < depth_tile; from += at_once) {
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        auto const y = load_vec<side>(b + (from + k) * column_pitch);
        PLACEMENT_UNROLL
        for (int r = 0; r < runs; ++r) {
          auto const x = load_vec<side>(a + (from + k) * row_pitch + r * row_threads * side);
          PLACEMENT_UNROLL
          for (int i = 0; i < side; ++i) {
            PLACEMENT_UNROLL
            for (int j = 0; j < side; ++j) mine.sum[r * side + i][j] += x.v[i] * y.v[j];
          }
        }
      }
    }
  }
  PLACEMENT_HD void write(memory const& m, int thread, local const& mine) const {
    index_t const column = m.part.first_column + column_run(thread);
    PLACEMENT_UNROLL
    for (int i = 0; i < side * runs; ++i) {
      index_t const at = m.row[row_run(thread, i / side) + i % side].other;
      if (at < 0 || column >= of.columns) continue;
      if (sums != nullptr)
        put(sums + m.part.sums_at + at + column, of.columns - column, mine.sum[i]);
      else put(out + at + column, of.columns - column, mine.sum[i]);
    }
  }
  /// Stores a thread's adjacent results, of which `left` exist.
  template <class To>
  PLACEMENT_HD void put(To* to, index_t left, carried const (&sum)[std::size_t{side}]) const {
    access_of<To, side> x;
    PLACEMENT_UNROLL
    for (int j = 0; j < side; ++j) x.v[j] = static_cast<To>(sum[j]);
    if (stores_vectors) return store_vec(to, x);
    PLACEMENT_UNROLL
    for (int j = 0; j < side; ++j)
      if (j < left) to[j] = x.v[j];
  }
};

namespace detail {

/// Parts of a depth: so many that blocks fill a large GPU, and of some length.
constexpr index_t conv2d_slots(index_t blocks, index_t depth) {
  constexpr index_t shortest = 256, longest = 8192, most = 256, enough = enough_blocks / 4;
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
  if (c.slots == 1)
    return grid(Kernel{c, out, nullptr, source, other, in_vectors && is_aligned<Kernel::side>(out)},
                c.blocks());
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(c.slots * c.result_size) * sizeof(carried));
  auto* const sums = static_cast<carried*>(scratch.data());
  grid(Kernel{c, out, sums, source, other, in_vectors}, c.blocks());
  using parts = conv2d_parts<T>;
  constexpr int width = vector_width<T, parts>;
  launch_tiles(grid, dense_result<T>{out}, c.result_size, parts{sums, c.result_size, c.slots},
               c.result_size % width == 0 && is_aligned<width>(out));
}
template <bool OfFilter, class Grid, class T>
void run_conv2d(Grid const& grid, conv2d_on_gpu const& c, index_t rows, index_t depth, T* out,
                T const* source, T const* other) {
  if (c.result_size == 0) return;
  if (c.columns <= conv2d_kernel<T, OfFilter, true>::tile_columns)
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

}  // namespace detail
}}  // namespace placement::v0_1
