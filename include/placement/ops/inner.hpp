#pragma once

#include <placement/ops/contract.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
template <class A, class B> constexpr contraction inner_contraction() {
  constexpr int m = rank_of<A>, n = rank_of<B>;
  return contraction_of(m, n, m - 1, n - 1, m == 0 || n == 0 ? 0 : 1);
}
}  // namespace detail

/// NumPy's inner: sums over the last dimension of both operands. A scalar multiplies.
/// Shape: (k), (k) -> []; (p..., k), (q..., k) -> (p..., q...).
/// Type: any number, the same on both sides; integers wrap.
/// Kernels: those of matmul; of two vectors a sum of products.
/// Cost: tensors are not copied.
/// Throws: shape_error if the last extents differ.
template <operand A, operand B, class K = kernels_here>
auto inner(A&& a, B&& b, site at = site::here()) {
  return detail::checked_contraction<K, detail::inner_contraction<A, B>()>(
      "inner", std::forward<A>(a), std::forward<B>(b), at);
}

}}  // namespace placement::v0_1
