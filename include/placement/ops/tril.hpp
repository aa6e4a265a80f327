#pragma once

#include <placement/ops/diagonal_mask.hpp>
#include <placement/ops/where.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// Whether there are rows and columns. Asserts otherwise.
template <class X> constexpr bool check_triangle() {
  static_assert(X::extents_type::rank >= 2,
                "placement: tril and triu take a matrix or more. Use expand_dims on a vector.");
  return X::extents_type::rank >= 2;
}
}  // namespace detail

/// x with zeros above diagonal k: where column > row + k.
/// Shape: (..., m, n), unchanged.  Type: any.  Kernels: CPU, GPU.  Cost: one kernel.
template <operand X, class K = kernels_here>
auto tril(X&& x, index_t k = 0, site at = site::here()) {
  if constexpr (detail::check_triangle<bare<X>>()) {
    auto mask = detail::lower_mask<K>(detail::matrix_shape(x.shape()), k, at);
    return where(std::move(mask), std::forward<X>(x), typename bare<X>::value_type{}, at);
  }
}
/// x with zeros below diagonal k: where column < row + k.
/// Shape: (..., m, n), unchanged.  Type: any.  Kernels: CPU, GPU.  Cost: one kernel.
template <operand X, class K = kernels_here>
auto triu(X&& x, index_t k = 0, site at = site::here()) {
  if constexpr (detail::check_triangle<bare<X>>()) {
    auto const matrix = detail::matrix_shape(x.shape());
    index_t const above = detail::limited_diagonal(k, matrix.at(0), matrix.at(1)) - 1;
    return where(detail::lower_mask<K>(matrix, above, at), typename bare<X>::value_type{},
                 std::forward<X>(x), at);
  }
}

}}  // namespace placement::v0_1
