#pragma once
/// Softmax and its logarithm on a GPU. A group of threads keeps a row in registers; a very long row
/// is read twice.

#include <placement/gpu/reduce.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/float16.hpp>
#include <placement/math/log.hpp>
#include <placement/shape/strided_view.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The maximum of the elements, NaN if there is one, and the sum of exp(x - max).
template <class T> struct softmax_state {
  T max;
  double total;
};
template <class T> PLACEMENT_HD constexpr T larger_of(T a, T b) noexcept {
  return b > a || b != b ? b : a;
}

/// Computes the result from an element's difference to the maximum: softmax or its logarithm.
/// `intermediate` is the value that a thread keeps for the last step, `of`.
struct softmax_result {
  /// Sums of a thread's exponentials.
  template <class T> using partial = T;
  template <class T> PLACEMENT_HD static T scale(softmax_state<T> const& s) {
    return static_cast<T>(1 / s.total);
  }
  template <class T> PLACEMENT_HD static T intermediate(T, T exponential) { return exponential; }
  template <class T> PLACEMENT_HD static T of(T x, T scale) { return x * scale; }
};
struct log_softmax_result {
  /// The logarithm of a sum near 1 has an error many times as large as that of the sum.
  template <class T> using partial = double;
  template <class T> PLACEMENT_HD static double scale(softmax_state<T> const& s) {
    return math::log(s.total);
  }
  template <class T> PLACEMENT_HD static T intermediate(T below, T) { return below; }
  template <class T> PLACEMENT_HD static T of(T x, double scale) {
    return static_cast<T>(static_cast<double>(x) - scale);
  }
};

/// The sum of at most 32 numbers in their type: each addition to double takes a GPU as long as
/// several to float.
template <class T> struct interleaved_sum {
  T part[4]{};
  PLACEMENT_HD void add(T x, int number) { part[number % 4] += x; }
  PLACEMENT_HD double total() const {
    return static_cast<double>((part[0] + part[1]) + (part[2] + part[3]));
  }
};

/// The elements per thread, and the longest row that a block holds with so many.
inline constexpr int softmax_items_per_thread = 16;
inline constexpr index_t longest_block_row = index_t{block_threads} * softmax_items_per_thread;

}  // namespace detail

/// Rows that a block holds in registers. Result: how a result is computed.
template <class Result, class T, int Items = detail::softmax_items_per_thread>
struct softmax_of_short_rows {
  static constexpr int width = vector_width<T, dense_leaf<T>>;
  static constexpr int items_per_thread = Items;
  using wide = computed_in<T>;
  using state = detail::softmax_state<wide>;
  static constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(state);
  struct local {
    state s;
    wide x[std::size_t{Items}];
  };

  T* out;
  T const* in;
  index_t rows, length;
  int group_size;  ///< threads that share a row
  bool vectorized;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local& mine) {
      if (vectorized) load<width>(block.number(), thread, mine);
      else load<1>(block.number(), thread, mine);
      mine.s = {mine.x[0], 0};
      PLACEMENT_UNROLL
      for (int k = 1; k < items_per_thread; ++k)
        mine.s.max = detail::larger_of(mine.s.max, mine.x[k]);
    });
    block.combine(group_size, [](state const& a, state const& b) {
      return state{detail::larger_of(a.max, b.max), 0};
    });
    block.each_without_barrier([&](int, local& mine) {
      detail::interleaved_sum<typename Result::template partial<wide>> sum;
      PLACEMENT_UNROLL
      for (int k = 0; k < items_per_thread; ++k) {
        wide const below = mine.x[k] - mine.s.max, exponential = math::exp_of_negative(below);
        mine.x[k] = Result::intermediate(below, exponential);
        sum.add(exponential, k);
      }
      mine.s.total = sum.total();
    });
    block.combine(group_size,
                  [](state const& a, state const& b) { return state{a.max, a.total + b.total}; });
    block.each_without_barrier([&](int thread, local& mine) {
      if (vectorized) store<width>(block.number(), thread, mine);
      else store<1>(block.number(), thread, mine);
    });
  }

 private:
  PLACEMENT_HD index_t row_of(index_t block, int thread) const {
    return block * (block_threads / group_size) + thread / group_size;
  }
  /// The column of element k of a thread.
  template <int V> PLACEMENT_HD index_t column(int thread, int k) const {
    return static_cast<index_t>(thread % group_size + k / V * group_size) * V;
  }
  template <int V> PLACEMENT_HD void load(index_t block, int thread, local& mine) const {
    index_t const r = row_of(block, thread);
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; k += V) {
      index_t const j = column<V>(thread, k);
      auto x = repeated<V>(detail::below_all<T>());
      if (r < rows && j < length) x = load_vec<V>(in + r * length + j);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) mine.x[k + v] = widened(x.v[v]);
    }
  }
  template <int V> PLACEMENT_HD void store(index_t block, int thread, local const& mine) const {
    index_t const r = row_of(block, thread);
    auto const scale = Result::scale(mine.s);
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; k += V) {
      index_t const j = column<V>(thread, k);
      access_of<T, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = static_cast<T>(Result::of(mine.x[k + v], scale));
      if (r < rows && j < length) store_vec(out + r * length + j, y);
    }
  }
};

/// Rows of any length, one block each. One pass computes maximum and sum, another the results. The
/// second pass goes backwards, because the end of the row is still in cache.
/// Source: Milakov, Gimelshein: Online normalizer calculation for softmax (2018).
template <class Result, class T> struct softmax_of_long_rows {
  static constexpr int width = vector_width<T, dense_leaf<T>>;
  using wide = computed_in<T>;
  using state = detail::softmax_state<wide>;
  static constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(state);
  struct local {
    state s;
  };

  T* out;
  T const* in;
  index_t length;
  bool vectorized;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    T const* const x = in + block.number() * length;
    T* const y = out + block.number() * length;
    block.each_without_barrier([&](int thread, local& mine) {
      mine.s = vectorized ? accumulated<width>(x, thread) : accumulated<1>(x, thread);
    });
    block.combine(block_threads, [](state const& a, state const& b) { return combined(a, b); });
    block.each_without_barrier([&](int thread, local& mine) {
      if (vectorized) write<width>(x, y, thread, mine.s);
      else write<1>(x, y, thread, mine.s);
    });
  }

 private:
  static constexpr int loads_in_flight_of_thread = 4;  ///< loads in flight

  /// The factor that changes the reference maximum of a sum of exponentials from `from` to `to`.
  PLACEMENT_HD static double rescaled(wide from, wide to) {
    return from == to ? 1 : static_cast<double>(math::exp_of_negative(from - to));
  }
  PLACEMENT_HD static state combined(state const& a, state const& b) {
    wide const max = detail::larger_of(a.max, b.max);
    return {max, a.total * rescaled(a.max, max) + b.total * rescaled(b.max, max)};
  }
  template <int V> PLACEMENT_HD state accumulated(T const* x, int thread) const {
    wide const lowest = detail::below_all<wide>();
    constexpr index_t step = block_threads * V;
    state s{lowest, 0};
    PLACEMENT_ROLLED
    for (index_t j = static_cast<index_t>(thread) * V; j < length;
         j += loads_in_flight_of_thread * step) {
      access_of<T, V> loaded[loads_in_flight_of_thread];
      PLACEMENT_UNROLL
      for (int k = 0; k < loads_in_flight_of_thread; ++k)
        loaded[k] = j + k * step < length ? load_vec<V>(x + j + k * step)
                                          : repeated<V>(detail::below_all<T>());
      wide max = s.max;
      PLACEMENT_UNROLL
      for (int k = 0; k < loads_in_flight_of_thread; ++k) {
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) max = detail::larger_of(max, widened(loaded[k].v[v]));
      }
      if (max == lowest) continue;  // only -infinity so far
      s = {max, s.total * rescaled(s.max, max)};
      detail::interleaved_sum<typename Result::template partial<wide>> sum;
      PLACEMENT_UNROLL
      for (int k = 0; k < loads_in_flight_of_thread; ++k) {
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) sum.add(math::exp_of_negative(loaded[k].v[v] - max), k * V + v);
      }
      s.total += sum.total();
    }
    return s;
  }
  template <int V> PLACEMENT_HD void write(T const* x, T* y, int thread, state const& s) const {
    constexpr index_t step = block_threads * V;
    auto const scale = Result::scale(s);
    index_t const groups =
        (length + loads_in_flight_of_thread * step - 1) / (loads_in_flight_of_thread * step);
    PLACEMENT_ROLLED
    for (index_t g = groups; g-- > 0;) {
      index_t const j = g * loads_in_flight_of_thread * step + static_cast<index_t>(thread) * V;
      access_of<T, V> loaded[loads_in_flight_of_thread];
      PLACEMENT_UNROLL
      for (int k = 0; k < loads_in_flight_of_thread; ++k)
        loaded[k] = j + k * step < length ? load_vec<V>(x + j + k * step)
                                          : repeated<V>(detail::below_all<T>());
      PLACEMENT_UNROLL
      for (int k = 0; k < loads_in_flight_of_thread; ++k) {
        if (j + k * step >= length) continue;
        access_of<T, V> results;
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) {
          wide const below = loaded[k].v[v] - s.max;
          results.v[v] = static_cast<T>(
              Result::of(Result::intermediate(below, math::exp_of_negative(below)), scale));
        }
        store_vec(y + j + k * step, results);
      }
    }
  }
};

namespace detail {

/// Whether a block holds rows of up to 32,768 elements in half of its registers. Then it reads them
/// once: 1.35 times as fast on an H100. Logarithms and 16-bit types compute too long for that.
template <class Result, class T>
inline constexpr bool has_wide_softmax =
    std::is_same_v<Result, softmax_result> && std::is_same_v<T, float>;

/// Threads that share a short row: as many as hold it.
constexpr int row_group_size(index_t length) {
  return power_of_two_from((length + softmax_items_per_thread - 1) / softmax_items_per_thread);
}

/// The softmax of the rows of x. Cost: one launch.
template <class Result, class Grid, class T, class X>
void softmax_rows(Grid const& grid, dense_view<T, X> const& out, dense_view<T const, X> const& in) {
  constexpr int width = vector_width<T, dense_leaf<T>>;
  index_t const length = row_length(in.shape);
  if (in.size() == 0) return;
  index_t const rows = in.size() / length;
  bool const vectorized =
      length % width == 0 && is_aligned<width>(out.data) && is_aligned<width>(in.data);
  auto const in_registers = [&](auto items) {
    grid(softmax_of_short_rows<Result, T, items()>{out.data, in.data, rows, length, block_threads,
                                                   vectorized},
         rows);
  };
  constexpr int items = softmax_items_per_thread;
  if (length > 2 * longest_block_row) {
    if constexpr (has_wide_softmax<Result, T>)
      if (vectorized && length <= 8 * longest_block_row)
        return length <= 4 * longest_block_row
                   ? in_registers(std::integral_constant<int, 4 * items>{})
                   : in_registers(std::integral_constant<int, 8 * items>{});
    grid(softmax_of_long_rows<Result, T>{out.data, in.data, length, vectorized}, rows);
  } else if (length > longest_block_row) {
    in_registers(std::integral_constant<int, 2 * items>{});
  } else {
    int const group_size = row_group_size(length);
    index_t const of_block = block_threads / group_size;
    grid(softmax_of_short_rows<Result, T>{out.data, in.data, rows, length, group_size, vectorized},
         (rows + of_block - 1) / of_block);
  }
}

}  // namespace detail
}}  // namespace placement::v0_1
