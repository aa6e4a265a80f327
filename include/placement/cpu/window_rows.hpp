#pragma once
/// Reductions of windows, whose rows are contiguous in memory: sums and selected elements of float
/// and double. They are compiled once, for several levels of x86-64, and have the same bits on
/// each.

#include <placement/config.hpp>
#include <placement/cpu/block_reader.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The fewest columns of a row, and the most rows of a window.
inline constexpr index_t least_window_columns = 8, most_window_rows = 64;
/// The most results of one call.
inline constexpr index_t most_window_results = 512;

/// Windows of `depth` rows of `columns` elements. Row k of window w begins at first + w * step +
/// offset[k]. Requires: windows * columns is at most most_window_results.
template <class T> struct window_rows {
  T const* first;
  index_t const* offset;
  index_t depth, windows, step, columns;
};

/// Some windows of an operand. result: the number of the first result.
struct some_windows {
  unsigned char const* first;
  index_t const* offset;
  index_t depth, windows, step, columns, result;

  template <class T> window_rows<T> of() const {
    return {reinterpret_cast<T const*>(first), offset, depth, windows, step, columns};
  }
};
using window_function = void (*)(void const* work, some_windows const&);
/// Calls each(work, windows) for all windows of an operand in memory. Returns false if the tiles'
/// columns are not contiguous there, or if a number is out of the range of window_rows.
bool run_on_windows(block_call const&, any_shape const&, tile_axis const& rows, index_t outer, par,
                    window_function each, void const* work);

/// sums[w * columns + j] = the sum of elements j of the rows of window w, as sums_of_columns adds
/// them.
PLACEMENT_ON_CALL void sum_windows(double* sums, window_rows<float> const& of);
PLACEMENT_ON_CALL void sum_windows(double* sums, window_rows<double> const& of);

/// The selected elements of the columns of windows.
template <class T> struct selected_in_windows {
  bool largest;
  bool has_index;  ///< the indices are wanted, too
  T value[most_window_results];
  T at[most_window_results];  ///< the number of the first row with this element
};
/// Returns false if an element may be NaN.
PLACEMENT_ON_CALL bool select_in_windows(selected_in_windows<float>& found,
                                         window_rows<float> const& of);
PLACEMENT_ON_CALL bool select_in_windows(selected_in_windows<double>& found,
                                         window_rows<double> const& of);

}}}  // namespace placement::v0_1::detail
