#pragma once
/// The CPU's product of a matrix and a narrow one. The right side is packed; the left side is read
/// once, in place.

#include <placement/cpu/finished_tile.hpp>
#include <placement/cpu/matrix_product.hpp>
#include <placement/cpu/scratch.hpp>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Products whose right side has at most `Vectors` registers of columns. The sums of a block of
/// rows are in memory, each row padded to whole registers. Blocks depend on the extents alone.
template <class T, int Bytes, bool ManyRegisters, int Vectors> class gemm_narrow {
  using S = summed<T>;
  static constexpr int N = lanes_in<S, Bytes>;

 public:
  static constexpr int width = N * Vectors;

  /// Multiplies and calls `callback` for finished rows; `first` is the number of the first row.
  /// Returns false, without any effect, if there is no memory for packing.
  PLACEMENT_ALWAYS_INLINE static bool multiply(matrix_product<T> const& p, index_t first,
                                               epilogue_callback const& callback) {
    scratch_buffer memory;
    constexpr auto elements = static_cast<std::size_t>(width * (depth_block<true> + row_block));
    auto const sums = static_cast<S*>(memory.at_least(elements * sizeof(S)));
    if (sums == nullptr) return false;
    for (index_t i = 0; i < p.rows; i += row_block) {
      index_t const rows = least(row_block, p.rows - i);
      if (p.a_step == 1) add_rows<true>(p, i, rows, sums);
      else add_rows<false>(p, i, rows, sums);
      write(p.out + i * p.columns, sums, rows, p.columns);
      callback(first + i, rows, 0, p.columns);
    }
    return true;
  }

 private:
  static constexpr index_t row_block = 256;

  /// `Along`: the left side is contiguous along the depth, else along its rows.
  /// Along the depth, a tile reads one cache line of each of its rows. Rows a power of two apart
  /// share cache sets, so only a small number of these lines stays cached.
  /// Along the rows, a tile reads parts of one cache line per step of the depth. These lines must
  /// stay cached for the next tile.
  template <bool Along> static constexpr index_t depth_block = Along ? 512 : 128;
  template <bool Along>
  static constexpr int tile_rows = (ManyRegisters ? (Along ? 8 * Vectors : 16) : 8) / Vectors;

  static constexpr index_t least(index_t a, index_t b) { return a < b ? a : b; }

  /// A packed part of the right side of this depth, and where that depth starts.
  struct panel {
    S* right;
    index_t k, depth;
  };

  /// Computes the sums of `rows` rows from i on.
  template <bool Along>
  PLACEMENT_ALWAYS_INLINE static void add_rows(matrix_product<T> const& p, index_t i, index_t rows,
                                               S* sums) {
    constexpr int tile = tile_rows<Along>;
    index_t const max = even_pieces(p.depth, depth_block<Along>, 1);
    for (index_t k = 0; k < p.depth; k += max) {
      panel const b{sums + row_block * width, k, least(max, p.depth - k)};
      pack(b, p);
      T const* const left = p.a + i * p.a_row + k * p.a_step;
      if (rows < tile)
        for (index_t r = 0; r != rows; ++r)
          add_tile<Along, 1>(sums + r * width, p, left + r * p.a_row, b, 0);
      else
        for (index_t r = 0; r < rows; r += tile) {
          index_t const at = least(r, rows - tile);  // the last tile is moved back so that it fits
          add_tile<Along, tile>(sums + at * width, p, left + at * p.a_row, b, r - at);
        }
    }
  }

  /// Packs the right side's rows, each padded to whole registers. The padding has arbitrary values,
  /// which no requested sum uses.
  PLACEMENT_ALWAYS_INLINE static void pack(panel const& b, matrix_product<T> const& p) {
    bool const dense = p.b_step == 1 && p.b_row == p.columns;
    index_t const last =
        p.depth * p.columns - width;  // the last offset from which a whole packed row can be loaded
    T const* from = p.b + b.k * p.b_row;
    S* to = b.right;
    for (index_t k = b.k; k != b.k + b.depth; ++k, from += p.b_row, to += width)
      if (dense && k * p.columns <= last)
        each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE {
          store_lanes<N>(to + v * N, load_lanes<N>(from + v * N));
        });
      else
        for (index_t j = 0; j != width; ++j)
          to[j] = j < p.columns ? load_lanes<1>(from + j * p.b_step) : S{};
  }

  /// sums (+)= left right for Rows rows; the first `done` rows already have their sums.
  template <bool Along, int Rows>
  PLACEMENT_ALWAYS_INLINE static void add_tile(S* sums, matrix_product<T> const& p, T const* left,
                                               panel const& b, index_t done) {
    index_t const row = Along ? p.a_row : 1, step = Along ? 1 : p.a_step;
    lane_array<S, N, Rows * Vectors> sum{};
    if (b.k != 0)
      each<Rows * Vectors>([&](auto t)
                               PLACEMENT_ALWAYS_INLINE { sum[t] = load_lanes<N>(sums + t * N); });
    S const* right = b.right;
    for (index_t k = 0; k != b.depth; ++k) {
      lane_array<S, N, Vectors> y;
      each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE { y[v] = load_lanes<N>(right + v * N); });
      each<Rows * Vectors>([&](auto t) PLACEMENT_ALWAYS_INLINE {
        add_product<N>(sum[t], load_lanes<1>(left + t / Vectors * row), y[t % Vectors]);
      });
      left += step;
      right += width;
    }
    each<Rows * Vectors>([&](auto t) PLACEMENT_ALWAYS_INLINE {
      if (t / Vectors >= done) store_lanes<N>(sums + t * N, sum[t]);
    });
  }

  /// Writes rows of sums, of which `columns` elements belong to the result. A row is stored in
  /// whole registers, as long as they fit; the next row overwrites the excess.
  PLACEMENT_ALWAYS_INLINE static void write(T* out, S const* sums, index_t rows, index_t columns) {
    index_t const all = rows * columns;
    for (index_t at = 0; at != all; at += columns, sums += width)
      if (at + width <= all)
        each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE {
          store_lanes<N>(out + at + v * N, load_lanes<N>(sums + v * N));
        });
      else
        for (index_t j = 0; j != columns; ++j) out[at + j] = static_cast<T>(sums[j]);
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
