#pragma once
/// The GPU kernel of the matrix product: each block computes a tile, each thread a square of it.

#include <placement/gpu/block.hpp>
#include <placement/gpu/collapse.hpp>
#include <placement/gpu/gemm_operand.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The rows and columns that a thread computes, limited by its registers.
template <class T> inline constexpr int product_side = sizeof(T) <= 4 ? 8 : 4;
/// The elements along the depth that shared memory holds at once.
inline constexpr int product_depth = 8;

/// In place of an epilogue: each block computes a part of its tile's sums, and stores it to `sums`.
template <class T> struct partial_products {
  computed_in<T>* sums;   ///< of each part one after another
  index_t size, length;   ///< elements of a part; its depth, a multiple of product_depth
  fast_divisor matrices;  ///< of a part
};
template <class E> inline constexpr bool is_partial = false;
template <class T> inline constexpr bool is_partial<partial_products<T>> = true;
}  // namespace detail

/// out = a b for each matrix of the batch, then epilogue(first, n) for each run of finished
/// elements. Operands may have any strides. A thread loads adjacent elements along the contiguous
/// dimension, and stores adjacent results, in one access where memory is aligned.
template <class T, std::size_t Rank, class Epilogue> struct gemm_kernel {
  static constexpr int side = detail::product_side<T>;
  static constexpr int tile = side * 16, depth_tile = detail::product_depth;
  static constexpr int pitch =
      tile + 4;  ///< elements between rows in shared memory: avoids bank conflicts
  static constexpr int half = side / 2;  ///< a thread's columns are two runs of this length
  static constexpr int loads = tile * depth_tile / block_threads;
  static constexpr std::size_t slots = std::size_t{side}, loaded = std::size_t{loads};
  static constexpr std::size_t shared_bytes = 2 * depth_tile * pitch * sizeof(T);
  static constexpr int resident_blocks = sizeof(T) <= 4 ? 2 : 0;  ///< of a multiprocessor
  using carried = computed_in<T>;
  struct local {
    carried sum[slots][slots];
    T a[loaded], b[loaded];  ///< loaded, to be stored to shared memory
  };

  T* out;
  index_t rows, columns, depth;
  fast_divisor across, down;  ///< the number of tiles
  numbering<Rank> batch;      ///< of the dimensions before the last two
  T const *a, *b;
  layout<Rank> a_at, b_at, out_at;
  detail::operand_access a_access, b_access;
  bool stores_vectors;  ///< each run of a thread's results is complete and aligned
  Epilogue epilogue;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    place const p = place_of(block.number());
    T* const shared = static_cast<T*>(block.shared());
    block.each_without_barrier([&](int thread, local& mine) {
      PLACEMENT_UNROLL
      for (int i = 0; i < side; ++i) {
        PLACEMENT_UNROLL
        for (int j = 0; j < side; ++j) mine.sum[i][j] = carried{};
      }
      load(p, p.begin, thread, mine);
    });
    PLACEMENT_ROLLED
    for (index_t k = p.begin; k < p.end; k += depth_tile) {
      block.each([&](int thread, local& mine) { store_shared(shared, thread, mine); });
      block.each([&](int thread, local& mine) {
        load(p, k + depth_tile, thread, mine);
        multiply(shared, thread, mine);
      });
    }
    block.each_without_barrier([&](int thread, local& mine) { write(p, thread, mine); });
  }

 private:
  /// The tile of a block: where its operands and its result start.
  struct place {
    std::uint32_t down, across;  ///< the tile's number in its matrix
    index_t first;               ///< the first element of the tile's matrix in the result
    T const *a, *b;
    index_t begin, end;  ///< of its depth
    index_t sums_at;     ///< where a part of the sums starts

    PLACEMENT_HD index_t row() const { return index_t{down} * tile; }
    PLACEMENT_HD index_t column() const { return index_t{across} * tile; }
  };
  PLACEMENT_HD place place_of(index_t block) const {
    auto const number = static_cast<std::uint32_t>(block);
    std::uint32_t const strip = across.quotient(number), matrix = down.quotient(strip);
    place p{strip - matrix * down.divisor,
            number - strip * across.divisor,
            0,
            nullptr,
            nullptr,
            0,
            depth,
            0};
    std::uint32_t in_batch = matrix;
    if constexpr (detail::is_partial<Epilogue>) {
      std::uint32_t const number_of_part = epilogue.matrices.quotient(matrix);
      in_batch = matrix - number_of_part * epilogue.matrices.divisor;
      p.begin = number_of_part * epilogue.length;
      if (depth - p.begin > epilogue.length) p.end = p.begin + epilogue.length;
      p.sums_at = number_of_part * epilogue.size;
    }
    auto c = batch.element(in_batch);
    c.at[Rank - 2] = c.at[Rank - 1] = 0;
    p.first = out_at.row(c);
    p.a = a + a_at.row(c);
    p.b = b + b_at.row(c);
    return p;
  }

  /// Where a thread's adjacent elements of an operand's tile start: in row i, at depth k.
  struct part {
    int i, k;
  };
  PLACEMENT_HD static part part_of(int thread, bool along_depth) {
    static_assert(depth_tile % loads == 0 && block_threads * loads == tile * depth_tile);
    constexpr int across_depth = depth_tile / loads, across_rows = tile / loads;
    if (along_depth) return {thread / across_depth, thread % across_depth * loads};
    return {thread % across_rows * loads, thread / across_rows};
  }
  /// Loads a thread's part of a tile that starts at (first, k); zeros beyond the end.
  PLACEMENT_HD void load_part(T (&to)[loaded], T const* from, int thread,
                              detail::operand_access const& access, index_t first, index_t end,
                              index_t k, index_t depth_end, index_t stride, index_t step) const {
    part const of = part_of(thread, access.along_depth);
    int const rows_left = within(end - first, tile) - of.i;
    int const depths_left = within(depth_end - k, depth_tile) - of.k;
    bool const inside = rows_left > 0 && depths_left > 0;
    index_t depth_start = k;  // opaque: the compiler kept a pointer for each load across the loop
    PLACEMENT_PTX("mov.u64 %0, %1;", "=l"(depth_start), "l"(k));
    index_t const at = (first + of.i) * stride + (depth_start + of.k) * step;
    if (access.vectorized) {
      access_of<T, loads> x{};
      if (inside) x = load_vec<loads>(from + at);
      PLACEMENT_UNROLL
      for (int l = 0; l < loads; ++l) to[l] = x.v[l];
    } else {
      int const left = !inside ? 0 : access.along_depth ? depths_left : rows_left;
      index_t const next = access.along_depth ? step : stride;
      PLACEMENT_UNROLL
      for (int l = 0; l < loads; ++l) to[l] = l < left ? from[at + l * next] : T{};
    }
  }
  PLACEMENT_HD static int within(index_t n, int most) {
    return n < most ? static_cast<int>(n) : most;
  }
  /// Loads a thread's part of the next tiles of both operands into registers.
  PLACEMENT_HD void load(place const& p, index_t k, int thread, local& mine) const {
    load_part(mine.a, p.a, thread, a_access, p.row(), rows, k, p.end, a_at.stride[Rank - 2],
              a_at.step());
    load_part(mine.b, p.b, thread, b_access, p.column(), columns, k, p.end, b_at.step(),
              b_at.stride[Rank - 2]);
  }
  PLACEMENT_HD static void store_part(T* to, int thread, bool along_depth,
                                      T const (&from)[loaded]) {
    part const of = part_of(thread, along_depth);
    T* const at = to + of.k * pitch + of.i;
    if (along_depth) {
      PLACEMENT_UNROLL
      for (int l = 0; l < loads; ++l) at[l * pitch] = from[l];
    } else {
      access_of<T, loads> x;
      PLACEMENT_UNROLL
      for (int l = 0; l < loads; ++l) x.v[l] = from[l];
      store_vec(at, x);
    }
  }
  PLACEMENT_HD void store_shared(T* shared, int thread, local const& mine) const {
    store_part(shared, thread, a_access.along_depth, mine.a);
    store_part(shared + depth_tile * pitch, thread, b_access.along_depth, mine.b);
  }
  /// Where run r of a thread's rows or columns starts in the tile.
  PLACEMENT_HD static int run_start(int place_in_side, int r) {
    return r * (tile / 2) + place_in_side * half;
  }
  PLACEMENT_HD void multiply(T const* shared, int thread, local& mine) const {
    T const* const right = shared + depth_tile * pitch;
    int const down_side = thread / 16, across_side = thread % 16;
    PLACEMENT_UNROLL
    for (int k = 0; k < depth_tile; ++k) {
      carried x[slots], y[slots];
      PLACEMENT_UNROLL
      for (int r = 0; r < 2; ++r) {
        auto const xs = load_vec<half>(shared + k * pitch + run_start(down_side, r));
        auto const ys = load_vec<half>(right + k * pitch + run_start(across_side, r));
        PLACEMENT_UNROLL
        for (int i = 0; i < half; ++i) {
          x[r * half + i] = widened(xs.v[i]);
          y[r * half + i] = widened(ys.v[i]);
        }
      }
      PLACEMENT_UNROLL
      for (int i = 0; i < side; ++i) {
        PLACEMENT_UNROLL
        for (int j = 0; j < side; ++j) mine.sum[i][j] += x[i] * y[j];
      }
    }
  }
  /// A run of a thread's results: its first element, and how many of them the matrix has.
  struct run_of_results {
    index_t first, n;
  };
  PLACEMENT_HD run_of_results results(place const& p, int thread, int i, int r) const {
    index_t const row = p.row() + run_start(thread / 16, i / half) + i % half;
    index_t const column = p.column() + run_start(thread % 16, r), left = columns - column;
    return {p.first + row * columns + column, row >= rows ? 0 : left < half ? left : half};
  }
  /// Stores a thread's results: store(run, their sums) for each run.
  template <class Store>
  PLACEMENT_HD void store_runs(place const& p, int thread, local const& mine,
                               Store const& store) const {
    PLACEMENT_UNROLL
    for (int i = 0; i < side; ++i) {
      PLACEMENT_UNROLL
      for (int r = 0; r < 2; ++r) store(results(p, thread, i, r), &mine.sum[i][r * half]);
    }
  }
  PLACEMENT_HD void write(place const& p, int thread, local const& mine) const {
    if constexpr (detail::is_partial<Epilogue>) {
      carried* const to = epilogue.sums + p.sums_at;
      store_runs(p, thread, mine, [&](run_of_results const& run, carried const* sums) {
        if (stores_vectors) {
          access_of<carried, half> x;
          PLACEMENT_UNROLL
          for (int j = 0; j < half; ++j) x.v[j] = sums[j];
          index_t first = run.first;  // opaque: nvcc stored one by one
          PLACEMENT_PTX("mov.u64 %0, %1;", "=l"(first), "l"(run.first));
          if (run.n > 0) store_vec(to + first, x);
          return;
        }
        PLACEMENT_UNROLL
        for (int j = 0; j < half; ++j)
          if (j < run.n) to[run.first + j] = sums[j];
      });
    } else {
      write_results(p, thread, mine);
    }
  }
  PLACEMENT_HD void write_results(place const& p, int thread, local const& mine) const {
    if (stores_vectors)
      store_runs(p, thread, mine, [this](run_of_results const& to, carried const* sums) {
        access_of<T, half> x;
        PLACEMENT_UNROLL
        for (int j = 0; j < half; ++j) x.v[j] = static_cast<T>(sums[j]);
        index_t first = to.first;  // opaque: nvcc stored one by one
        PLACEMENT_PTX("mov.u64 %0, %1;", "=l"(first), "l"(to.first));
        if (to.n > 0) store_vec(out + first, x);
      });
    else
      store_runs(p, thread, mine, [this](run_of_results const& to, carried const* sums) {
        PLACEMENT_UNROLL
        for (int j = 0; j < half; ++j)
          if (j < to.n) out[to.first + j] = static_cast<T>(sums[j]);
      });
    PLACEMENT_ROLLED  // its code is long, and runs once in a tile
    for (int k = 0; k < 2 * side; ++k) {
      auto const [first, n] = results(p, thread, k / 2, k % 2);
      if (n > 0) epilogue(first, n);
    }
  }
};

}}  // namespace placement::v0_1
