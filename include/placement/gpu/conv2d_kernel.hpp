#pragma once
/// The GPU kernel of convolutions and their gradients: an implicit matrix product. A block computes
/// a tile of the result. Its operands go through shared memory, and no matrix of windows is in
/// memory.

#include <placement/gpu/block.hpp>
#include <placement/gpu/conv2d_places.hpp>
#include <placement/kernels/vec.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

/// A tile of a convolution, or of a part of its sums. Rows are pixels, or with OfFilter elements of
/// the filter; columns are channels of the result. Narrow: for at most 32 columns.
template <class T, bool OfFilter, bool Narrow> struct conv2d_kernel {
  using carried = computed_in<T>;
  static constexpr int depth_tile = sizeof(carried) <= 4 && Narrow ? 16 : 8;
  static constexpr int resident_blocks = sizeof(carried) <= 4 ? 2 : 0;  ///< of a multiprocessor
  static constexpr int side = 4;  ///< adjacent rows or columns of a thread
  static constexpr int row_runs = Narrow ? 1 : 2;
  static constexpr int column_runs = Narrow || sizeof(carried) > 4 ? 1 : 2;
  static constexpr int column_threads = Narrow ? 4 : 16 / column_runs;
  static constexpr int row_threads = block_threads / column_threads;
  static constexpr int tile_rows = row_threads * side * row_runs;
  static constexpr int tile_columns = column_threads * side * column_runs;
  static constexpr int row_pitch = tile_rows + side, column_pitch = tile_columns + side;
  static constexpr int row_loads = tile_rows * depth_tile / block_threads;
  static constexpr int column_loads =
      tile_columns * depth_tile <= block_threads ? 1 : tile_columns * depth_tile / block_threads;
  /// The elements of one access, where channels allow it.
  static constexpr int load_width = sizeof(T) <= 4 ? 4 : 2;
  static constexpr int column_width = column_loads < load_width ? column_loads : load_width;
  /// The elements of the depth whose places are computed at once, each by one thread.
  static constexpr int depths_at_once = 64;
  struct memory {
    alignas(16) carried a[std::size_t{depth_tile * row_pitch}];
    alignas(16) carried b[std::size_t{depth_tile * column_pitch}];
    detail::conv2d_place row[std::size_t{tile_rows}];
    detail::conv2d_place depth[2 * std::size_t{depths_at_once}];  ///< a ring
    detail::mixed_radix next[std::size_t{depths_at_once}];  ///< whose place a thread computes next
    detail::conv2d_part part;
  };
  static constexpr std::size_t shared_bytes = sizeof(memory);
  struct local {
    carried sum[std::size_t{side * row_runs}][std::size_t{side * column_runs}];
    carried a[std::size_t{row_loads}], b[std::size_t{column_loads}];
  };

  detail::conv2d_on_gpu of;
  T* out;
  carried* sums;  ///< of parts of the depth, in place of `out`; null if there is one part
  T const *source, *other;
  bool stores_vectors;               ///< the adjacent results of a thread are one access
  bool row_vectors, column_vectors;  ///< the same for the elements that it loads
  int row_bits;  ///< with OfFilter, the block loads 2^row_bits rows: so many as there are

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    memory& m = *static_cast<memory*>(block.shared());
    block.each([&](int thread, local&) {
      if (thread != 0) return;
      m.part = of.template part<OfFilter>(block.number(), tile_rows, depth_tile, tile_columns);
      m.part.step = m.part.depth_at(depths_at_once);
    });
    block.each([&](int thread, local& mine) {
      PLACEMENT_UNROLL
      for (int i = 0; i < side * row_runs; ++i) {
        PLACEMENT_UNROLL
        for (int j = 0; j < side * column_runs; ++j) mine.sum[i][j] = carried{};
      }
      if (thread < tile_rows) m.row[thread] = of.template row<OfFilter>(m.part, thread);
      if (int const k = depth_of(thread); k >= 0) m.next[k] = m.part.depth_at(m.part.begin + k);
      put_depths(m, 0, m.part.begin, thread);
      if constexpr (OfFilter) {
        for (int i = thread; i < depth_tile * row_pitch; i += block_threads) m.a[i] = carried{};
      }
    });
    block.each([&](int thread, local& mine) { load(m, 0, thread, mine); });
    int at = 0;  // of the places of the tile's depth
    PLACEMENT_ROLLED
    for (index_t k = m.part.begin; k < m.part.end; k += depth_tile) {
      int const next = (at + depth_tile) % (2 * depths_at_once);
      block.each([&](int thread, local& mine) { store_shared(m, thread, mine); });
      block.each([&](int thread, local& mine) {
        load(m, next, thread, mine);
        if (at % depths_at_once == 0)
          put_depths(m, at ^ depths_at_once, k + depths_at_once, thread);
        multiply(m, thread, mine);
      });
      at = next;
    }
    block.each_without_barrier([&](int thread, local& mine) { write(m, thread, mine); });
  }

 private:
  /// The element of the depth whose place a thread computes, or a negative number. The last threads
  /// do that, because the first ones have most work where the tile has unused rows.
  PLACEMENT_HD static constexpr int depth_of(int thread) {
    return thread - (block_threads - depths_at_once);
  }
  /// The places of depth k and those after it, from number `first` of the ring on.
  PLACEMENT_HD void put_depths(memory& m, int first, index_t k, int thread) const {
    int const i = depth_of(thread);
    if (i < 0) return;
    m.depth[first + i] = of.template depth<OfFilter>(m.part, m.next[i], k + i < m.part.end);
    m.next[i] = m.next[i].plus(m.part.step, m.part.radix);
  }

  /// The elements of a tile that a thread loads: access l starts at (i + l * di, k + l * dk).
  struct loaded {
    int i, k, di, dk;
  };
  template <int V>
  PLACEMENT_HD static constexpr loaded loaded_by(int thread, int tile, bool along_depth) {
    if (along_depth)
      return {thread / (depth_tile / V), thread % (depth_tile / V) * V,
              block_threads / (depth_tile / V), 0};
    int const accesses = tile / V;
    return {thread % accesses * V, thread / accesses, 0, block_threads / accesses};
  }
  template <int V> PLACEMENT_HD loaded row_loaded(int thread) const {
    if constexpr (!OfFilter) return loaded_by<V>(thread, tile_rows, true);
    int const bits = row_bits - (V == 4 ? 2 : V == 2 ? 1 : 0);  // of the accesses
    return {(thread & ((1 << bits) - 1)) * V, thread >> bits, 0, block_threads >> bits};
  }
  template <int V> PLACEMENT_HD loaded column_loaded(int thread) const {
    return loaded_by<V>(thread, tile_columns, of.column_step != 1);
  }

  /// Loads a thread's elements of the next tiles; zeros outside of the images and the depth. first:
  /// the number of their first depth in the ring.
  PLACEMENT_HD void load(memory const& m, int first, int thread, local& mine) const {
    if (row_vectors) load_rows<load_width>(m, first, thread, mine);
    else load_rows<1>(m, first, thread, mine);
    if (column_vectors) load_columns<column_width>(m, first, thread, mine);
    else load_columns<1>(m, first, thread, mine);
  }
  template <int V>
  PLACEMENT_HD void load_rows(memory const& m, int first, int thread, local& mine) const {
    loaded const r = row_loaded<V>(thread);
    PLACEMENT_UNROLL
    for (int l = 0; l < row_loads / V; ++l) {
      if (OfFilter && r.k + l * r.dk >= depth_tile) break;
      auto const& row = m.row[r.i + l * r.di];
      auto const& depth = m.depth[first + r.k + l * r.dk];
      access_of<T, V> x{};
      if (of.is_inside(row.y + depth.y, row.x + depth.x))
        x = load_vec<V>(source + row.at + depth.at);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) mine.a[l * V + v] = widened(x.v[v]);
    }
  }
  template <int V>
  PLACEMENT_HD void load_columns(memory const& m, int first, int thread, local& mine) const {
    loaded const c = column_loaded<V>(thread);
    index_t const left = of.columns - m.part.first_column;
    PLACEMENT_UNROLL
    for (int l = 0; l < column_loads / V; ++l) {
      int const i = c.i + l * c.di, k = c.k + l * c.dk;
      index_t const at = k < depth_tile ? m.depth[first + k].other : -1;
      access_of<T, V> x{};
      if (at >= 0 && i < tile_columns && i < left)
        x = load_vec<V>(other + at + (m.part.first_column + i) * of.column_step);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) mine.b[l * V + v] = widened(x.v[v]);
    }
  }
  PLACEMENT_HD void store_shared(memory& m, int thread, local const& mine) const {
    if (row_vectors) store_rows<load_width>(m, thread, mine);
    else store_rows<1>(m, thread, mine);
    if (column_vectors) store_columns<column_width>(m, thread, mine);
    else store_columns<1>(m, thread, mine);
  }
  template <int V> PLACEMENT_HD void store_rows(memory& m, int thread, local const& mine) const {
    loaded const r = row_loaded<V>(thread);
    PLACEMENT_UNROLL
    for (int l = 0; l < row_loads / V; ++l) {
      if (OfFilter && r.k + l * r.dk >= depth_tile) break;
      store_loaded<V>(m.a + (r.k + l * r.dk) * row_pitch + r.i + l * r.di, mine.a + l * V,
                      OfFilter ? 1 : row_pitch);
    }
  }
  template <int V> PLACEMENT_HD void store_columns(memory& m, int thread, local const& mine) const {
    loaded const c = column_loaded<V>(thread);
    PLACEMENT_UNROLL
    for (int l = 0; l < column_loads / V; ++l) {
      int const i = c.i + l * c.di, k = c.k + l * c.dk;
      if (k < depth_tile && i < tile_columns)
        store_loaded<V>(m.b + k * column_pitch + i, mine.b + l * V,
                        of.column_step != 1 ? column_pitch : 1);
    }
  }
  /// Stores the elements of one access to shared memory, at a distance of `step`.
  template <int V>
  PLACEMENT_HD static void store_loaded(carried* to, carried const* from, int step) {
    PLACEMENT_UNROLL
    for (int v = 0; v < V; ++v) to[v * step] = from[v];
  }
  PLACEMENT_HD static constexpr int row_run(int thread, int r) {
    return (r * row_threads + thread / column_threads) * side;
  }
  PLACEMENT_HD static constexpr int column_run(int thread, int r) {
    return (r * column_threads + thread % column_threads) * side;
  }

  PLACEMENT_HD void multiply(memory const& m, int thread, local& mine) const {
    if (OfFilter && row_run(thread, 0) >> row_bits != 0) return;  // only zeros
    carried const* const a = m.a + row_run(thread, 0);
    carried const* const b = m.b + column_run(thread, 0);
    constexpr int at_once = 2;  // with more, registers do not suffice
    PLACEMENT_ROLLED
    for (int from = 0; from < depth_tile; from += at_once) {
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        carried x[std::size_t{side * row_runs}], y[std::size_t{side * column_runs}];
        load_runs<row_runs>(x, a + (from + k) * row_pitch, row_threads);
        load_runs<column_runs>(y, b + (from + k) * column_pitch, column_threads);
        PLACEMENT_UNROLL
        for (int i = 0; i < side * row_runs; ++i) {
          PLACEMENT_UNROLL
          for (int j = 0; j < side * column_runs; ++j) mine.sum[i][j] += x[i] * y[j];
        }
      }
    }
  }
  template <int Runs>
  PLACEMENT_HD static void load_runs(carried (&to)[std::size_t{side * Runs}], carried const* from,
                                     int threads) {
    PLACEMENT_UNROLL
    for (int r = 0; r < Runs; ++r) {
      auto const x = load_vec<side>(from + r * threads * side);
      PLACEMENT_UNROLL
      for (int i = 0; i < side; ++i) to[r * side + i] = x.v[i];
    }
  }
  PLACEMENT_HD void write(memory const& m, int thread, local const& mine) const {
    PLACEMENT_UNROLL
    for (int i = 0; i < side * row_runs; ++i) {
      index_t const at = m.row[row_run(thread, i / side) + i % side].other;
      PLACEMENT_UNROLL
      for (int r = 0; r < column_runs; ++r) {
        index_t const column = m.part.first_column + column_run(thread, r);
        if (at < 0 || column >= of.columns) continue;
        carried const* const sum = &mine.sum[i][r * side];
        if (sums != nullptr) put(sums + m.part.sums_at + at + column, of.columns - column, sum);
        else put(out + at + column, of.columns - column, sum);
      }
    }
  }
  /// Stores a thread's adjacent results, of which `left` exist.
  template <class To> PLACEMENT_HD void put(To* to, index_t left, carried const* sum) const {
    access_of<To, side> x;
    PLACEMENT_UNROLL
    for (int j = 0; j < side; ++j) x.v[j] = static_cast<To>(sum[j]);
    if (stores_vectors) return store_vec(to, x);
    PLACEMENT_UNROLL
    for (int j = 0; j < side; ++j)
      if (j < left) to[j] = x.v[j];
  }
};

}}  // namespace placement::v0_1
