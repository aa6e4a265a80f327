#pragma once
/// Products of all elements of rows of float or double. The loops are compiled once, for several
/// levels of x86-64, and have the bits of the lanes of cpu/reduce_lanes.hpp.

#include <placement/config.hpp>
#include <placement/shape/extents.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Products that advance side by side: element i is a factor of product i % count.
struct lanes_of_product {
  static constexpr index_t count = 32;
  alignas(64) double at[static_cast<std::size_t>(count)];

  lanes_of_product() {
    for (double& one : at) one = 1;
  }
  double combined();
};

/// The least number of elements for lanes; fewer are multiplied one by one.
inline constexpr index_t least_multiplied_in_lanes = 64;

/// products[i] = the product of the n elements from i * n on, for i below rows.
PLACEMENT_ON_CALL void multiply_rows(double* products, float const* p, index_t rows, index_t n);
PLACEMENT_ON_CALL void multiply_rows(double* products, double const* p, index_t rows, index_t n);
/// Multiplies lanes by n elements. The elements of all calls but the last are a multiple of
/// lanes_of_product::count.
PLACEMENT_ON_CALL void multiply_lanes(lanes_of_product& to, float const* p, index_t n);
PLACEMENT_ON_CALL void multiply_lanes(lanes_of_product& to, double const* p, index_t n);

/// Whether Op multiplies elements of type T, and takes its state from their product:
/// `Op::state_of_product<T>(double)`.
template <class Op, class T> concept multiplies_elements =
    (std::is_same_v<T, float> || std::is_same_v<T, double>) &&
    requires(double product) { Op::template state_of_product<T>(product); };

}}}  // namespace placement::v0_1::detail
