#pragma once

#include <placement/ops/constant.hpp>

namespace placement { inline namespace v0_1 {

/// `full(shape(2, 3), 2.f)`: a shape filled with a value. The op of constant, by NumPy's name.
/// Shape: as given.  Type: that of the value.  Kernels: CPU, GPU (pattern fill).
/// Throws: shape_error for a negative extent, or more bytes than can be addressed.
template <element T, index_t... N, class K = kernels_here>
auto full(extents<N...> shape, T value, site at = site::here())
    -> expr<constant_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), constant_op<T, extents<N...>>::name, at);
  return {{shape, value}, at};
}
/// `full_like(x, 2)`: the value in the shape and of the element type of x, which is not read.
template <operand X, number V, class K = kernels_here>
auto full_like(X const& x, V value, site at = site::here())
    -> expr<constant_op<typename X::value_type, typename X::extents_type>, K> {
  using T = typename stored_t<V, X>::value_type;  // asserts that the types go together
  return {{x.shape(), detail::as_element<T>(value)}, at};
}

}}  // namespace placement::v0_1
