#pragma once

#include <placement/ops/constant.hpp>

namespace placement { inline namespace v0_1 {

/// `ones<float>(2, 3)`: a shape filled with 1.
/// Shape: as given.  Type: T, any.  Kernels: CPU, GPU (pattern fill).
/// Throws: shape_error for a negative extent, or more bytes than can be addressed.
template <element T, std::integral... N, class K = kernels_here>
auto ones(N... n) -> expr<constant_op<T, dextents<sizeof...(N)>>, K> {
  return constant<T>(T{1}, shape(n...), {});
}
/// `ones<float>(extents<2, 3>{})`: the same with a shape, which may be static.
template <element T, index_t... N, class K = kernels_here>
auto ones(extents<N...> shape, site at = site::here()) -> expr<constant_op<T, extents<N...>>, K> {
  return constant(T{1}, shape, at);
}

/// 1 everywhere.
/// Shape: an operand's.  Type: T, any.  Kernels: CPU, GPU (pattern fill).
template <class T, class X> struct ones_like_op : constant_op<T, X> {
  static constexpr std::string_view name = "OnesLike";
};
/// Ones in the shape and of the element type of x, which is not read.
template <operand X, class K = kernels_here>
auto ones_like(X const& x, site at = site::here())
    -> expr<ones_like_op<typename X::value_type, typename X::extents_type>, K> {
  return {{{x.shape(), typename X::value_type{1}}}, at};
}

}}  // namespace placement::v0_1
