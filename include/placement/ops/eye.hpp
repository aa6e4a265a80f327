#pragma once

#include <placement/ops/diag.hpp>
#include <placement/ops/ones.hpp>

namespace placement { inline namespace v0_1 {

/// `eye<float>(extents<3, 4>{}, 1)`: a matrix of zeros with ones at (i, i + k).
/// Shape: as given.  Type: T, any.  Kernels: CPU, GPU (pattern custom).
/// Throws: shape_error for a negative extent, or more bytes than can be addressed.
template <element T, index_t M, index_t N, class K = kernels_here>
auto eye(extents<M, N> shape, index_t k = 0, site at = site::here()) {
  detail::checked_count(shape, sizeof(T), "Eye", at);
  using one = decltype(ones<T>(extents<>{}, at));
  return unary<matrix_diag_op<extents<M, N>>, one>{{shape, k}, at, ones<T>(extents<>{}, at)};
}
/// `eye<float>(3)`, `eye<float>(3, 4, -1)`: n rows and m columns.
template <element T, class K = kernels_here>
auto eye(index_t n, index_t m, index_t k = 0, site at = site::here()) {
  return eye<T, dyn, dyn, K>(shape(n, m), k, at);
}
template <element T, class K = kernels_here> auto eye(index_t n, site at = site::here()) {
  return eye<T, dyn, dyn, K>(shape(n, n), 0, at);
}

}}  // namespace placement::v0_1
