#pragma once

#include <placement/ops/contract.hpp>
#include <placement/ops/flatten.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
template <class K, class X> decltype(auto) as_vector(X&& x, site at) {
  if constexpr (is_vector<X>) return std::forward<X>(x);
  else return flatten(std::forward<X>(x), at);
}
}  // namespace detail

/// NumPy's outer: the products of all elements of a with all of b, in row-major order.
/// Shape: m elements, n elements -> (m, n).  Type: any number, the same on both sides.
/// Kernels: CPU, GPU (an element-wise product of views, which fuses).
template <operand A, operand B, class K = kernels_here>
auto outer(A&& a, B&& b, site at = site::here()) {
  return detail::contract<K, detail::contraction_of(1, 1, 0, 0, 0)>(
      detail::as_vector<K>(std::forward<A>(a), at), detail::as_vector<K>(std::forward<B>(b), at),
      at);
}

}}  // namespace placement::v0_1
