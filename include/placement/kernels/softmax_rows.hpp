#pragma once
/// Softmax and its logarithm on a GPU: rows shared by some threads, which keep their elements in
/// registers, or, where a row is long, read it twice.

#include <placement/kernels/float16.hpp>
#include <placement/kernels/fold_rows.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/log.hpp>

namespace placement::inline v0_1 {

namespace detail {

/// The largest of some elements, NaN where there is one, and the sum of exp(x - most).
template <class T> struct softmax_state {
  T most;
  double total;
};
template <class T> PLACEMENT_HD constexpr T larger_of(T a, T b) noexcept {
  return b > a || b != b ? b : a;
}

/// What becomes of an element, by how far it is below the largest: softmax or its logarithm.
/// `kept` is all that the last step, `of`, needs to know of it.
struct softmax_result {
  template <class T> PLACEMENT_HD static T scale(softmax_state<T> const& s) {
    return static_cast<T>(1 / s.total);
  }
  template <class T> PLACEMENT_HD static T kept(T, T exponential) { return exponential; }
  template <class T> PLACEMENT_HD static T of(T kept, T scale) { return kept * scale; }
};
struct log_softmax_result {
  template <class T> PLACEMENT_HD static double scale(softmax_state<T> const& s) {
    return math::log(s.total);
  }
  template <class T> PLACEMENT_HD static T kept(T below, T) { return below; }
  template <class T> PLACEMENT_HD static T of(T kept, double scale) {
    return static_cast<T>(static_cast<double>(kept) - scale);
  }
};

/// Elements a thread keeps, and the longest row that a block keeps.
inline constexpr int kept_elements = 16;
inline constexpr index_t longest_kept_row = index_t{block_threads} * kept_elements;

}  // namespace detail

/// Rows of at most 4096 elements. Result: what becomes of an element.
template <class Result, class T> struct softmax_of_kept_rows {
  static constexpr int width = chunk_width<T, dense_leaf<T>>;
  static constexpr int kept = detail::kept_elements;
  using wide = computed_in<T>;
  using state = detail::softmax_state<wide>;
  static constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(state);
  struct local {
    state s;
    wide x[kept];
  };

  T* out;
  T const* in;
  index_t rows, length;
  int parts;  ///< threads that share a row
  bool in_chunks;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.apart([&](int thread, local& mine) {
      if (in_chunks) load<width>(block.number(), thread, mine);
      else load<1>(block.number(), thread, mine);
      mine.s = {mine.x[0], 0};
      PLACEMENT_UNROLL
      for (int k = 1; k < kept; ++k) mine.s.most = detail::larger_of(mine.s.most, mine.x[k]);
    });
    block.merge(parts, [](state const& a, state const& b) {
      return state{detail::larger_of(a.most, b.most), 0};
    });
    block.apart([&](int, local& mine) {
      PLACEMENT_UNROLL
      for (int k = 0; k < kept; ++k) {
        wide const below = mine.x[k] - mine.s.most, exponential = math::exp_of_negative(below);
        mine.x[k] = Result::kept(below, exponential);
        mine.s.total += static_cast<double>(exponential);
      }
    });
    block.merge(parts,
                [](state const& a, state const& b) { return state{a.most, a.total + b.total}; });
    block.apart([&](int thread, local& mine) {
      if (in_chunks) store<width>(block.number(), thread, mine);
      else store<1>(block.number(), thread, mine);
    });
  }

 private:
  PLACEMENT_HD index_t row_of(index_t block, int thread) const {
    return block * (block_threads / parts) + thread / parts;
  }
  /// Where element k of a thread lies in its row.
  template <int V> PLACEMENT_HD index_t column(int thread, int k) const {
    return static_cast<index_t>(thread % parts + k / V * parts) * V;
  }
  template <int V> PLACEMENT_HD void load(index_t block, int thread, local& mine) const {
    index_t const r = row_of(block, thread);
    PLACEMENT_UNROLL
    for (int k = 0; k < kept; k += V) {
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
    for (int k = 0; k < kept; k += V) {
      index_t const j = column<V>(thread, k);
      access_of<T, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = static_cast<T>(Result::of(mine.x[k + v], scale));
      if (r < rows && j < length) store_vec(out + r * length + j, y);
    }
  }
};

/// Rows of any length, a block each: the largest and the sum in one pass, the results in another,
/// which goes backwards and so finds the end of the row still in cache.
/// Source: Milakov, Gimelshein: Online normalizer calculation for softmax (2018).
template <class Result, class T> struct softmax_of_long_rows {
  static constexpr int width = chunk_width<T, dense_leaf<T>>;
  using wide = computed_in<T>;
  using state = detail::softmax_state<wide>;
  static constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(state);
  struct local {
    state s;
  };

  T* out;
  T const* in;
  index_t length;
  bool in_chunks;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    T const* const x = in + block.number() * length;
    T* const y = out + block.number() * length;
    block.apart([&](int thread, local& mine) {
      mine.s = in_chunks ? taken_in<width>(x, thread) : taken_in<1>(x, thread);
    });
    block.merge(block_threads, [](state const& a, state const& b) { return merged(a, b); });
    block.apart([&](int thread, local& mine) {
      if (in_chunks) write<width>(x, y, thread, mine.s);
      else write<1>(x, y, thread, mine.s);
    });
  }

 private:
  static constexpr int at_once = 4;  ///< loads in flight

  /// The factor of a sum of exponentials below `from` that is to be one below `to`.
  PLACEMENT_HD static double rescaled(wide from, wide to) {
    return from == to ? 1 : static_cast<double>(math::exp_of_negative(from - to));
  }
  PLACEMENT_HD static state merged(state const& a, state const& b) {
    wide const most = detail::larger_of(a.most, b.most);
    return {most, a.total * rescaled(a.most, most) + b.total * rescaled(b.most, most)};
  }
  template <int V> PLACEMENT_HD state taken_in(T const* x, int thread) const {
    wide const lowest = detail::below_all<wide>();
    constexpr index_t step = block_threads * V;
    state s{lowest, 0};
    PLACEMENT_ROLLED
    for (index_t j = static_cast<index_t>(thread) * V; j < length; j += at_once * step) {
      access_of<T, V> loaded[at_once];
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k)
        loaded[k] = j + k * step < length ? load_vec<V>(x + j + k * step)
                                          : repeated<V>(detail::below_all<T>());
      wide most = s.most;
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) most = detail::larger_of(most, widened(loaded[k].v[v]));
      }
      if (most == lowest) continue;  // nothing but -infinity so far
      s = {most, s.total * rescaled(s.most, most)};
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v)
          s.total += static_cast<double>(math::exp_of_negative(loaded[k].v[v] - most));
      }
    }
    return s;
  }
  template <int V> PLACEMENT_HD void write(T const* x, T* y, int thread, state const& s) const {
    constexpr index_t step = block_threads * V;
    auto const scale = Result::scale(s);
    index_t const groups = (length + at_once * step - 1) / (at_once * step);
    PLACEMENT_ROLLED
    for (index_t g = groups; g-- > 0;) {
      index_t const j = g * at_once * step + static_cast<index_t>(thread) * V;
      access_of<T, V> loaded[at_once];
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k)
        loaded[k] = j + k * step < length ? load_vec<V>(x + j + k * step)
                                          : repeated<V>(detail::below_all<T>());
      PLACEMENT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if (j + k * step >= length) continue;
        access_of<T, V> results;
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) {
          wide const below = loaded[k].v[v] - s.most;
          results.v[v] =
              static_cast<T>(Result::of(Result::kept(below, math::exp_of_negative(below)), scale));
        }
        store_vec(y + j + k * step, results);
      }
    }
  }
};

namespace detail {

/// Threads that share a kept row: a warp while that leaves each some accesses, more for long rows.
constexpr int parts_of_kept_row(index_t length) {
  int const few = power_of_two_from((length + 3) / 4), least = few < 32 ? few : 32;
  int const needed = power_of_two_from((length + kept_elements - 1) / kept_elements);
  return needed > least ? needed : least;
}

/// The rows of x, softmax'd. Cost: one launch.
template <class Result, class Grid, class T, class X>
void softmax_rows(Grid const& grid, dense_view<T, X> const& out, dense_view<T const, X> const& in) {
  constexpr int width = chunk_width<T, dense_leaf<T>>;
  index_t const length = row_length(in.shape);
  if (in.size() == 0) return;
  index_t const rows = in.size() / length;
  bool const in_chunks =
      length % width == 0 && is_aligned<width>(out.data) && is_aligned<width>(in.data);
  if (length > longest_kept_row) {
    grid(softmax_of_long_rows<Result, T>{out.data, in.data, length, in_chunks}, rows);
  } else {
    int const parts = parts_of_kept_row(length);
    index_t const of_block = block_threads / parts;
    grid(softmax_of_kept_rows<Result, T>{out.data, in.data, rows, length, parts, in_chunks},
         (rows + of_block - 1) / of_block);
  }
}

}  // namespace detail
}  // namespace placement::inline v0_1
