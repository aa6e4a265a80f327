#pragma once

#include <placement/expr/evaluate.hpp>

namespace placement::inline v0_1 {

/// One value everywhere.
/// Shape: as given.  Type: T, any.  Kernels: CPU, GPU (pattern fill).
template <class T, class X> struct constant_op {
  static constexpr std::string_view name = "Fill";
  using pattern = fill;

  [[no_unique_address]] X shape;
  T value;

  constexpr X result() const { return shape; }
  PLACEMENT_HD constexpr T operator()(index_t) const noexcept { return value; }
};
/// `constant(2.f, shape(2, 3))`: a shape filled with a value.
/// Throws: shape_error for a negative extent, or more bytes than can be addressed.
template <element T, index_t... N, class K = kernels_here>
auto constant(T value, extents<N...> shape, site at = site::here())
    -> expr<constant_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T));
  return {{shape, value}, at};
}

}  // namespace placement::inline v0_1
