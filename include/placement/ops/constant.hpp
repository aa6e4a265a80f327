#pragma once

#include <placement/expr/constant.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// One value everywhere.
/// Shape: as given.  Type: T, any.  Kernels: CPU, GPU (pattern fill).
template <class T, class X> struct constant_op {
  static constexpr std::string_view name = "Fill";
  using pattern = fill;
  static constexpr bool takes_packs = true;

  [[no_unique_address]] X shape;
  T value;

  constexpr X result() const { return shape; }
  PLACEMENT_HD constexpr T operator()(index_t) const noexcept { return value; }
  template <int N>
  PLACEMENT_ALWAYS_INLINE auto operator()(simd::pack<index_t, N> const&) const noexcept {
    return simd::broadcast<N>(value);
  }
};
/// `constant(2.f, shape(2, 3))`: a shape filled with a value.
/// Throws: shape_error for a negative extent, or more bytes than can be addressed.
template <element T, index_t... N, class K = kernels_here>
auto constant(T value, extents<N...> shape, site at = site::here())
    -> expr<constant_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), constant_op<T, extents<N...>>::name, at);
  return {{shape, value}, at};
}

/// Values written in the program as a node, so that they can be named: `named("a", constant({{1.f,
/// 2.f}, {3.f, 4.f}}))`. The op Const; `tensor a{{1.f, 2.f}, {3.f, 4.f}}` does the same without a
/// name. Rank 1 to 3; ragged rows do not compile.
/// Cost: a host copy of the values now; one transfer when it is evaluated for a GPU.
template <element T, std::size_t N, class K = kernels_here>
auto constant(T const (&values)[N], site at = site::here())
    -> expr<detail::const_op<T, dextents<1>>, K> {
  return {detail::owned_constant(values, shape(N)), at};
}
template <element T, std::size_t M, std::size_t N, class K = kernels_here>
auto constant(T const (&rows)[M][N], site at = site::here())
    -> expr<detail::const_op<T, dextents<2>>, K> {
  return {detail::owned_constant(rows[0], shape(M, N)), at};
}
template <element T, std::size_t L, std::size_t M, std::size_t N, class K = kernels_here>
auto constant(T const (&planes)[L][M][N], site at = site::here())
    -> expr<detail::const_op<T, dextents<3>>, K> {
  return {detail::owned_constant(planes[0][0], shape(L, M, N)), at};
}

}}  // namespace placement::v0_1
