#pragma once
/// The largest or smallest of elements of float or double, in vector registers. The loops are
/// compiled once, for several levels of x86-64, and have the bits of the lanes of
/// cpu/reduce_lanes.hpp.

#include <placement/config.hpp>
#include <placement/shape/extents.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The selected one of some elements, if none of them is NaN.
template <class T> struct selected_element {
  T value;
  bool may_have_nan;  ///< a NaN is among the elements, or their sum is inf - inf
};

/// found[i] = the largest or smallest of the n elements from i * n on, for i below rows.
/// Requires: n is at least 1.
PLACEMENT_ON_CALL void select_rows(selected_element<float>* found, bool largest, float const* p,
                                   index_t rows, index_t n);
PLACEMENT_ON_CALL void select_rows(selected_element<double>* found, bool largest, double const* p,
                                   index_t rows, index_t n);
/// The selected ones of at most 64 rows, if none of their elements is NaN.
template <class T> struct selected_in_rows {
  static constexpr index_t most = 64;
  T value[most];
  T at[most];     ///< the index of the first such element in its row, if has_index
  T total[most];  ///< the sum of the row, which is NaN if an element is
  bool has_index = true;
};
/// The length of the longest rows of which select_short_rows() selects several at once.
template <class T> inline constexpr index_t longest_short_row = 128 / sizeof(T);
/// Rows of n elements, one after another. behind: how many elements follow them in memory.
struct rows_of_elements {
  index_t rows, n, behind;
};
/// The same for rows of at most longest_short_row elements. Returns false if a row may have a NaN.
PLACEMENT_ON_CALL bool select_short_rows(selected_in_rows<float>& found, bool largest,
                                         float const* p, rows_of_elements const& all);
PLACEMENT_ON_CALL bool select_short_rows(selected_in_rows<double>& found, bool largest,
                                         double const* p, rows_of_elements const& all);
/// The index of the first of n elements that equals x. There must be one.
PLACEMENT_ON_CALL index_t find_element(float const* p, index_t n, float x);
PLACEMENT_ON_CALL index_t find_element(double const* p, index_t n, double x);

/// Whether Op selects the largest or the smallest element of type T, as its `selects_largest` says.
template <class Op, class T> concept selects_elements =
    (std::is_same_v<T, float> || std::is_same_v<T, double>) &&
    requires { std::bool_constant<Op::selects_largest>{}; };
/// Whether the op's state contains the index of its element.
template <class Op, class T> concept knows_where =
    requires(typename Op::template state<T> s, T x) { Op::takes(s, x); };

}}}  // namespace placement::v0_1::detail
