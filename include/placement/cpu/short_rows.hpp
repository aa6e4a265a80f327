#pragma once
/// Reductions of rows that fill no register. Several rows are loaded and transposed: a lane then
/// has the elements of one row, one after another.

#include <placement/cpu/lanes.hpp>
#include <placement/cpu/select_elements.hpp>
#include <placement/cpu/transpose_lanes.hpp>
#include <placement/cpu/widen_lanes.hpp>

#include <cstring>
#include <limits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Calls add(x, k) for elements k = 0, 1, ... of W rows of n elements. Lane r of x: the element of
/// row r. first: the number of the first one in `from`. Up to W - 1 elements behind the rows are
/// loaded.
template <int W, class T, class From, class Add>
PLACEMENT_ALWAYS_INLINE inline void each_column_of(From const& from, index_t first, index_t n,
                                                   Add const& add) {
  for (index_t c = 0; c < n; c += W) {
    lane_array<T, W, W> x;
    each<W>([&](auto r)
                PLACEMENT_ALWAYS_INLINE { from.template load<W>(x[r], first + r * n + c); });
    transpose_lanes<W, 1, T>(x);
    each<W>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      if (k < n - c) add(x[k], c + k);
    });
  }
}
/// The same for rows of two elements, with two loads. Nothing behind the rows is loaded.
template <int W, class T, class From, class Add, int... I>
PLACEMENT_ALWAYS_INLINE inline void each_column_of_pairs(From const& from, index_t first,
                                                         Add const& add,
                                                         std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  lanes<T, W> a, b;
  from.template load<W>(a, first);
  from.template load<W>(b, first + W);
  add(PLACEMENT_SHUFFLE(a, b, (2 * I)...), 0);
  add(PLACEMENT_SHUFFLE(a, b, (2 * I + 1)...), 1);
}
/// The same for eight rows of at most four elements. A register has two of these rows.
template <class T, class From, class Add>
PLACEMENT_ALWAYS_INLINE inline void each_column_of_quads(From const& from, index_t first, index_t n,
                                                         Add const& add) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  lane_array<T, 8, 4> x;
  each<4>([&](auto r) PLACEMENT_ALWAYS_INLINE {
    lanes<T, 4> low, high;
    from.template load<4>(low, first + r * n);
    from.template load<4>(high, first + (r + 4) * n);
    x[r] = PLACEMENT_SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  });
  constexpr auto all = std::make_integer_sequence<int, 8>{};
  swap_blocks<8, 1, T>(x[0], x[1], all);
  swap_blocks<8, 1, T>(x[2], x[3], all);
  swap_blocks<8, 2, T>(x[0], x[2], all);
  swap_blocks<8, 2, T>(x[1], x[3], all);
  each<4>([&](auto k) PLACEMENT_ALWAYS_INLINE {
    if (k < n) add(x[k], k);
  });
}
/// How the columns of a block are loaded.
enum class block_columns { any, four, two };
/// Calls each_block(k) for rows k, W + k, ... while W elements follow W rows. behind: elements that
/// follow all rows. Returns the number of the first row that is left.
template <int W, class F>
PLACEMENT_ALWAYS_INLINE inline index_t each_block_of_rows(rows_of_elements const& size,
                                                          F const& each_block) {
  index_t k = 0;
  for (; size.rows - k >= W && (size.rows - k - W) * size.n + size.behind >= W; k += W)
    each_block(k);
  return k;
}

/// Whether short_rows is used. Not in files of nvcc, which drops the attribute of its lambdas.
template <int Bytes> inline constexpr bool has_vectors_of_rows = Bytes != 16 && PLACEMENT_HAS_PACKS;

/// Rows in registers of Bytes bytes, at most eight at once.
template <int Bytes, class T> class short_rows {
  static constexpr int most = Bytes / int{sizeof(T)} < 8 ? Bytes / int{sizeof(T)} : 8;
  static constexpr block_columns up_to_four = most == 8 ? block_columns::four : block_columns::any;

 public:
  /// sums[k] = the sum of the n elements from k * n on, in double, one after another. Returns how
  /// many of the rows have sums: all but some of the last ones.
  template <class From>
  PLACEMENT_ALWAYS_INLINE static index_t sum(double* sums, From const& from,
                                             rows_of_elements const& all) {
    if (all.n == 2) return sum_blocks<most, block_columns::two>(sums, from, all);
    if (all.n <= 4) return sum_blocks<most, up_to_four>(sums, from, all);
    return sum_blocks<most, block_columns::any>(sums, from, all);
  }
  /// found: the largest or the smallest element of each row, likewise. Where: also its index.
  template <bool Largest, bool Where, class From>
  PLACEMENT_ALWAYS_INLINE static index_t select(selected_in_rows<T>& found, From const& from,
                                                rows_of_elements const& all) {
    if (all.n == 2)
      return select_blocks<most, Largest, Where, block_columns::two>(found, from, all);
    if (all.n <= 4) return select_blocks<most, Largest, Where, up_to_four>(found, from, all);
    return select_blocks<most, Largest, Where, block_columns::any>(found, from, all);
  }

 private:
  /// Calls add() as each_column_of() does.
  template <int W, block_columns Columns, class From, class Add>
  PLACEMENT_ALWAYS_INLINE static void each_column(From const& from, index_t k, index_t n,
                                                  Add const& add) {
    if constexpr (Columns == block_columns::four) each_column_of_quads<T>(from, k * n, n, add);
    else if constexpr (Columns == block_columns::two)
      each_column_of_pairs<W, T>(from, 2 * k, add, std::make_integer_sequence<int, W>{});
    else each_column_of<W, T>(from, k * n, n, add);
  }
  template <int W, block_columns Columns, class From>
  PLACEMENT_ALWAYS_INLINE static index_t sum_blocks(double* sums, From const& from,
                                                    rows_of_elements const& all) {
    constexpr int width = Bytes / 8 < W ? Bytes / 8 : W, registers = W / width;
    return each_block_of_rows<W>(all, [&](index_t k) PLACEMENT_ALWAYS_INLINE {
      lane_array<double, width, registers> sum;
      each<registers>([&](auto h) PLACEMENT_ALWAYS_INLINE { sum[h] = lanes<double, width>{}; });
      each_column<W, Columns>(from, k, all.n,
                              [&](lanes<T, W> const& x, index_t) PLACEMENT_ALWAYS_INLINE {
                                each<registers>([&](auto h) PLACEMENT_ALWAYS_INLINE {
                                  lanes<double, width> wide;
                                  widen_part<h * width, width, W, T>(wide, x);
                                  sum[h] += wide;
                                });
                              });
      std::memcpy(sums + k, &sum, sizeof sum);
    });
  }
  template <int W, bool Largest, bool Where, block_columns Columns, class From>
  PLACEMENT_ALWAYS_INLINE static index_t select_blocks(selected_in_rows<T>& found, From const& from,
                                                       rows_of_elements const& all) {
    using elements = lanes<T, W>;
    constexpr T none = (Largest ? -1 : 1) * std::numeric_limits<T>::infinity();
    return each_block_of_rows<W>(all, [&](index_t k) PLACEMENT_ALWAYS_INLINE {
      elements best = elements{} + none, at{}, total{};
      each_column<W, Columns>(from, k, all.n,
                              [&](elements const& x, index_t i) PLACEMENT_ALWAYS_INLINE {
                                elements const number = elements{} + static_cast<T>(i);
                                if constexpr (Largest) {
                                  if constexpr (Where) at = best < x ? number : at;
                                  best = best > x ? best : x;
                                } else {
                                  if constexpr (Where) at = best > x ? number : at;
                                  best = best < x ? best : x;
                                }
                                total += x;
                              });
      std::memcpy(found.value + k, &best, sizeof best);
      if constexpr (Where) std::memcpy(found.at + k, &at, sizeof at);
      std::memcpy(found.total + k, &total, sizeof total);
    });
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
