#pragma once
/// The CPU's product of large matrices. Blocks of both operands are packed in the order in which
/// they are read, and tiles of the result are summed in registers.
///
/// Source: Goto, van de Geijn: Anatomy of high-performance matrix multiplication, ACM TOMS 34(3),
/// 2008. Unlike there, the rows of a tile are in the cache of the inner loop, and its columns one
/// level further out. Whole rows are thus finished while they are cached.

#include <placement/cpu/finished_tile.hpp>
#include <placement/cpu/matrix_product.hpp>
#include <placement/cpu/scratch.hpp>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- packing: the `across` neighbours of a panel for one k, then those of the next k

/// Transposes a block of 4 x 4 elements.
template <class T>
PLACEMENT_ALWAYS_INLINE inline void transpose_four(summed<T>* to, index_t pitch, T const* from,
                                                   index_t fiber) {
  using four = lanes<summed<T>, 4>;
  four const a = load_lanes<4>(from), b = load_lanes<4>(from + fiber);
  four const c = load_lanes<4>(from + 2 * fiber), d = load_lanes<4>(from + 3 * fiber);
  four const ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  four const cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  four const ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  four const cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_lanes<4>(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
  store_lanes<4>(to + pitch, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  store_lanes<4>(to + 2 * pitch, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_lanes<4>(to + 3 * pitch, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

/// Packs fibers of a matrix, `depth` elements each, as a panel of `Width` fibers; missing fibers
/// are zero.
template <int Width, bool Transposes, class T>
PLACEMENT_ALWAYS_INLINE inline void pack_panel(summed<T>* to, T const* from, index_t across,
                                               index_t along, index_t fibers, index_t depth) {
  using S = summed<T>;
  index_t fiber = 0;
  if (across == 1 && fibers == Width) {
    for (index_t k = 0; k != depth; ++k)
      for (int i = 0; i != Width; ++i) to[k * Width + i] = load_lanes<1>(from + k * along + i);
    return;
  }
  if constexpr (Transposes && sizeof(T) == sizeof(S)) {
    if (along == 1)
      for (; fiber + 4 <= fibers; fiber += 4) {
        T const* const four = from + fiber * across;
        index_t k = 0;
        for (; k + 4 <= depth; k += 4)
          transpose_four(to + k * Width + fiber, Width, four + k, across);
        for (; k != depth; ++k)
          for (index_t i = 0; i != 4; ++i)
            to[k * Width + fiber + i] = load_lanes<1>(four + i * across + k);
      }
  }
  for (; fiber != Width; ++fiber)
    for (index_t k = 0; k != depth; ++k)
      to[k * Width + fiber] =
          fiber < fibers ? load_lanes<1>(from + fiber * across + k * along) : S{};
}

// ---- one tile

/// Computes tiles of `tile_rows` x `tile_columns` elements of the result in registers.
template <class T, int Bytes, bool ManyRegisters> struct gemm_packed {
  using S = summed<T>;
  static constexpr int lane_count = lanes_in<S, Bytes>;
  static constexpr int tile_columns = 2 * lane_count;
  static constexpr int tile_rows = ManyRegisters ? 12 : 6;
  static constexpr int short_tile_rows = tile_rows / 3;  ///< of the tiles below the last full one

  /// The elements along the depth whose products are summed in registers.
  static constexpr index_t depth_block = 256;
  /// The columns of a block, such that its right side stays in the L2 cache; and its rows.
  static constexpr index_t column_block =
      rounded_up(index_t{512} * 4 / static_cast<index_t>(sizeof(S)), tile_columns);
  static constexpr index_t row_block = tile_rows * index_t{80};

  /// Whether four elements fit into a register.
  static constexpr bool transposes = 4 * sizeof(S) <= Bytes && !is_complex<S>;
  static constexpr bool converts = sizeof(T) != sizeof(S);  ///< sums need a buffer of their own

  /// Multiplies and calls `callback` for finished rows; `first` is the number of the first row.
  /// Returns false, without any effect, if there is no memory for packing.
  PLACEMENT_ALWAYS_INLINE static bool multiply(matrix_product<T> const& p, index_t first,
                                               epilogue_callback const& callback) {
    gemm_packed self(p, first, callback);
    if (self.left_ == nullptr) return false;
    for (index_t i = 0; i < p.rows; i += self.rows_) self.multiply_rows(i);
    if (self.symmetric_) self.copy_to_upper_half();
    return true;
  }

 private:
  PLACEMENT_ALWAYS_INLINE gemm_packed(matrix_product<T> const& p, index_t first,
                                      epilogue_callback const& callback)
      : p_(p),
        first_(first),
        callback_(callback),
        symmetric_(is_symmetric(p) && callback.call == nullptr),
        rows_(even_pieces(p.rows, max_rows(p.columns), tile_rows)),
        columns_(even_pieces(p.columns, column_block, tile_columns)),
        depth_(even_pieces(p.depth, depth_block, 1)) {
    index_t const left = rounded_up(rows_ * depth_, 64), right = columns_ * depth_;
    index_t const sums = converts ? rows_ * p.columns : 0;
    auto const elements = static_cast<std::size_t>(left + rounded_up(right, 64) + sums);
    left_ = static_cast<S*>(room_.at_least(elements * sizeof(S)));
    if (left_ == nullptr) return;
    right_ = left_ + left;
    sums_ = right_ + rounded_up(right, 64);
  }

  /// Whether the right side is the left one, transposed. Only tiles that reach the diagonal or lie
  /// below it are then computed: products of two numbers, and their order, are those above it.
  /// Where the depth is small, copies take longer than products.
  static constexpr bool is_symmetric(matrix_product<T> const& p) {
    return !is_complex<S> && !converts && p.depth >= 48 && p.a == p.b && p.rows == p.columns &&
           p.a_row == p.b_step && p.a_step == p.b_row;
  }
  /// Whether a tile of columns from `column` on is above the diagonal in all rows before `row`.
  PLACEMENT_ALWAYS_INLINE bool is_skipped(index_t column, index_t row) const {
    return symmetric_ && column >= row;
  }
  /// Copies what is below the diagonal to what is above it, in blocks that stay in a cache.
  PLACEMENT_ALWAYS_INLINE void copy_to_upper_half() const {
    constexpr index_t side = 32;
    index_t const n = p_.rows;
    for (index_t i = 0; i < n; i += side)
      for (index_t j = 0; j <= i; j += side) copy_block_to_upper_half(i, least(n, i + side), j);
  }
  /// Rows [i, end) of at most 32 columns from j on.
  PLACEMENT_ALWAYS_INLINE void copy_block_to_upper_half(index_t i, index_t end, index_t j) const {
    constexpr index_t side = 32;
    index_t const n = p_.rows;
    T* const out = p_.out;
    if constexpr (transposes)
      for (; i != j && i + 4 <= end; i += 4)
        for (index_t k = j; k != j + side; k += 4)
          transpose_four(sums_in(k) + i, n, out + i * n + k, n);
    for (; i < end; ++i)
      for (index_t k = j; k != least(i, j + side); ++k) out[k * n + i] = out[i * n + k];
  }

  /// Limits the buffer of sums, where there is one, to some megabytes.
  static constexpr index_t max_rows(index_t columns) {
    if constexpr (!converts) return row_block;
    index_t const rows = (index_t{1} << 20) / columns / tile_rows * tile_rows;
    return rows < tile_rows ? tile_rows : rows < row_block ? rows : row_block;
  }

  static constexpr index_t least(index_t a, index_t b) { return a < b ? a : b; }
  static constexpr bool is_short(index_t rows) { return rows <= index_t{2} * short_tile_rows; }

  PLACEMENT_ALWAYS_INLINE void multiply_rows(index_t i) {
    index_t const rows = least(rows_, p_.rows - i);
    for (index_t k = 0; k < p_.depth; k += depth_) {
      index_t const depth = least(depth_, p_.depth - k);
      pack_left(i, rows, k, depth);
      for (index_t j = 0; j < p_.columns && !is_skipped(j, i + rows); j += columns_)
        multiply_block({i, rows, j, least(columns_, p_.columns - j), k, depth});
    }
  }

  PLACEMENT_ALWAYS_INLINE void pack_left(index_t i, index_t rows, index_t k, index_t depth) {
    T const* const from = p_.a + i * p_.a_row + k * p_.a_step;
    for (index_t r = 0; r < rows;) {
      S* const to = left_ + r * depth;
      T const* const fibers = from + r * p_.a_row;
      if (is_short(rows - r)) {
        pack_panel<short_tile_rows, transposes>(to, fibers, p_.a_row, p_.a_step,
                                                least(short_tile_rows, rows - r), depth);
        r += short_tile_rows;
      } else {
        pack_panel<tile_rows, transposes>(to, fibers, p_.a_row, p_.a_step,
                                          least(tile_rows, rows - r), depth);
        r += tile_rows;
      }
    }
  }

  /// Rows, columns and depth of one step.
  struct block {
    index_t i, rows, j, columns, k, depth;
  };

  PLACEMENT_ALWAYS_INLINE void multiply_block(block const& b) {
    for (index_t c = 0; c < b.columns && !is_skipped(b.j + c, b.i + b.rows); c += tile_columns)
      pack_panel<tile_columns, transposes>(right_ + c * b.depth,
                                           p_.b + b.k * p_.b_row + (b.j + c) * p_.b_step, p_.b_step,
                                           p_.b_row, least(tile_columns, b.columns - c), b.depth);
    for (index_t r = 0; r < b.rows;) {
      index_t height = tile_rows;
      if (is_short(b.rows - r)) {
        height = short_tile_rows;
        multiply_panel<short_tile_rows>(b, r);
      } else {
        multiply_panel<tile_rows>(b, r);
      }
      if (b.k + b.depth == p_.depth) finish_tile(b, r, least(height, b.rows - r));
      r += height;
    }
  }

  template <int Rows> PLACEMENT_ALWAYS_INLINE void multiply_panel(block const& b, index_t r) {
    index_t const rows = least(Rows, b.rows - r);
    S* const to = (converts ? sums_ + r * p_.columns : sums_in(b.i + r)) + b.j;
    for (index_t c = 0; c < b.columns && !is_skipped(b.j + c, b.i + r + rows); c += tile_columns) {
      S const* const right = right_ + c * b.depth;
      index_t const columns = least(tile_columns, b.columns - c);
      if (rows == Rows && columns == tile_columns)
        add_tile<Rows>(to + c, p_.columns, left_ + r * b.depth, right, b.depth, b.k == 0);
      else add_part_of_tile<Rows>(to + c, rows, columns, left_ + r * b.depth, right, b);
    }
  }

  PLACEMENT_ALWAYS_INLINE S* sums_in(index_t row) const {
    if constexpr (converts) return nullptr;
    else
      return reinterpret_cast<S*>(p_.out +
                                  row * p_.columns);  // S and T may differ in signedness only
  }

  /// out (+)= left right for one tile.
  template <int Rows>
  PLACEMENT_ALWAYS_INLINE static void add_tile(S* out, index_t pitch, S const* left, S const* right,
                                               index_t depth, bool starts) {
    constexpr int N = lane_count;
    lane_array<S, N, 2 * Rows> sums{};
    for (index_t k = 0; k != depth; ++k) {
      lanes<S, N> const y[2] = {load_lanes<N>(right), load_lanes<N>(right + N)};
      each<2 * Rows>(
          [&](auto t) PLACEMENT_ALWAYS_INLINE { add_product<N>(sums[t], left[t / 2], y[t % 2]); });
      left += Rows;
      right += 2 * N;
    }
    each<2 * Rows>([&](auto t) PLACEMENT_ALWAYS_INLINE {
      S* const to = out + t / 2 * pitch + t % 2 * N;
      if (!starts) sums[t] += load_lanes<N>(to);
      store_lanes<N>(to, sums[t]);
    });
  }
  /// The same at the edges of the result, through a whole tile.
  template <int Rows>
  PLACEMENT_ALWAYS_INLINE void add_part_of_tile(S* out, index_t rows, index_t columns,
                                                S const* left, S const* right,
                                                block const& b) const {
    lane_array<S, 1, Rows * tile_columns> whole;
    add_tile<Rows>(whole, tile_columns, left, right, b.depth, true);
    for (index_t i = 0; i != rows; ++i)
      for (index_t j = 0; j != columns; ++j) {
        S& to = out[i * p_.columns + j];
        S const sum = whole[i * tile_columns + j];
        to = b.k == 0 ? sum : static_cast<S>(to + sum);
      }
  }

  PLACEMENT_ALWAYS_INLINE void finish_tile(block const& b, index_t r, index_t rows) const {
    if constexpr (converts)
      for (index_t i = r; i != r + rows; ++i)
        for (index_t j = b.j; j != b.j + b.columns; ++j)
          p_.out[(b.i + i) * p_.columns + j] = static_cast<T>(sums_[i * p_.columns + j]);
    callback_(first_ + b.i + r, rows, b.j, b.columns);
  }

  matrix_product<T> const& p_;
  index_t first_;
  epilogue_callback const& callback_;
  bool symmetric_;
  index_t rows_, columns_, depth_;  ///< of a block
  scratch_buffer room_;
  S *left_ = nullptr, *right_ = nullptr, *sums_ = nullptr;
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
