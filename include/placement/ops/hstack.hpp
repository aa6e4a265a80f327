#pragma once

#include <placement/ops/concat.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/stack.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// x, or a vector as a matrix of one row.
template <class K, operand X> auto as_row(X&& x) {
  if constexpr (bare<X>::rank == 1) return expand_dims(std::forward<X>(x), axis<0>);
  else return node_operand_t<X>(std::forward<X>(x));
}
template <std::size_t... R> constexpr bool check_stacked() {
  static_assert(((R > 0) && ...),
                "placement: hstack and vstack take vectors or more. Use stack for scalars.");
  return ((R > 0) && ...);
}
}  // namespace detail

/// Columns beside each other: concat along axis 1; vectors one after another, along axis 0.
/// Shape: (m, a), (m, b) -> (m, a + b).  Type: any, the same in all.  Kernels: CPU, GPU.
/// Cost: one pass.  Throws: shape_error for shapes that do not fit.
template <operand... X, class K = kernels_here> requires(sizeof...(X) > 0)
auto hstack(X&&... x) {
  static_cast<void>(detail::check_stacked<bare<X>::rank...>());
  if constexpr (((bare<X>::rank == 1) && ...)) return concat(axis<0>, std::forward<X>(x)...);
  else return concat(axis<1>, std::forward<X>(x)...);
}
/// The same for a number of tensors that only the program knows.
/// Throws: invalid_argument for an empty vector.
template <class T, class X, class K = kernels_here>
auto hstack(std::vector<tensor<T, X>> x, site at = site::here()) {
  static_cast<void>(detail::check_stacked<X::rank>());
  if constexpr (X::rank == 1) return concat(axis<0>, std::move(x), at);
  else return concat(axis<1>, std::move(x), at);
}

/// Rows below each other: concat along axis 0, where a vector is a matrix of one row.
/// Shape: (a, n), (b, n), (n) -> (a + b + 1, n).  Type: any, the same in all.  Kernels: CPU, GPU.
/// Cost: one pass.  Throws: shape_error for shapes that do not fit.
template <operand... X, class K = kernels_here> requires(sizeof...(X) > 0)
auto vstack(X&&... x) {
  static_cast<void>(detail::check_stacked<bare<X>::rank...>());
  return concat(axis<0>, detail::as_row<K>(std::forward<X>(x))...);
}
/// The same for a number of tensors that only the program knows.
/// Throws: invalid_argument for an empty vector.
template <class T, class X, class K = kernels_here>
auto vstack(std::vector<tensor<T, X>> x, site at = site::here()) {
  static_cast<void>(detail::check_stacked<X::rank>());
  if constexpr (X::rank == 1) return stack(axis<0>, std::move(x), at);
  else return concat(axis<0>, std::move(x), at);
}

}}  // namespace placement::v0_1
