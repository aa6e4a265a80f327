#pragma once

#include <placement/ops/contract.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
template <class A, class B> constexpr contraction dot_contraction() {
  constexpr int m = rank_of<A>, n = rank_of<B>;
  constexpr bool has_scalar = m == 0 || n == 0;
  return contraction_of(m, n, m - 1, n > 1 ? n - 2 : 0, has_scalar ? 0 : 1);
}
}  // namespace detail

/// NumPy's dot: sums over the last dimension of a and the last but one of b, or its only one. A
/// scalar multiplies. matmul treats further dimensions as a batch; dot multiplies all with all.
/// Shape: (k), (k) -> []; (m, k), (k, n) -> (m, n); (p..., k), (q..., k, n) -> (p..., q..., n).
/// Type: any number, the same on both sides; integers wrap.
/// Kernels: those of matmul; of two vectors a sum of products.
/// Cost: no operand is copied, except one of rank 3 or more on the right, which is transposed.
/// Throws: shape_error if the extents summed over differ.
template <operand A, operand B, class K = kernels_here>
auto dot(A&& a, B&& b, site at = site::here()) {
  return detail::checked_contraction<K, detail::dot_contraction<A, B>()>("dot", std::forward<A>(a),
                                                                         std::forward<B>(b), at);
}

}}  // namespace placement::v0_1
