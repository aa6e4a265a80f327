#pragma once
/// Sums of elements of float and double in vector registers. They are compiled once, for several
/// levels of x86-64, and have the bits of the lanes of cpu/reduce_lanes.hpp.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/join_lanes.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// What is summed: elements of `left`, their products with those of `right`, or their magnitudes.
template <class T> struct summands {
  block_form form;
  T const* left;
  T const* right;
};

/// Sums that advance side by side.
struct lanes_of_sum {
  static constexpr index_t count = 32;
  alignas(64) double at[static_cast<std::size_t>(count)] = {};

  double combined() { return join_lanes<count>(at, adding_lanes{}); }
};

/// The least number of elements for lanes; fewer are added one by one.
inline constexpr index_t least_summed_in_lanes = 16;

/// sums[i] = the sum of the n elements from i * n on, for i below rows. behind: how many elements
/// follow these rows in memory.
PLACEMENT_ON_CALL void sum_rows(double* sums, summands<float> const& of, index_t rows, index_t n,
                                index_t behind = 0);
PLACEMENT_ON_CALL void sum_rows(double* sums, summands<double> const& of, index_t rows, index_t n,
                                index_t behind = 0);
/// Adds n elements to lanes. Requires: n is at least least_summed_in_lanes. The elements of all
/// calls but the last are a multiple of 512.
PLACEMENT_ON_CALL void add_to_lanes(lanes_of_sum& to, summands<float> const& of, index_t n);
PLACEMENT_ON_CALL void add_to_lanes(lanes_of_sum& to, summands<double> const& of, index_t n);

/// Whether Op sums elements of type T, and takes its state from their sum:
/// `Op::state_of_sum<T>(double)`.
template <class Op, class T> concept sums_elements =
    (std::is_same_v<T, float> || std::is_same_v<T, double>) &&
    requires(double sum) { Op::template state_of_sum<T>(sum); };

}}}  // namespace placement::v0_1::detail
