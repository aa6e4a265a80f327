#pragma once

#include <placement/ops/concat.hpp>
#include <placement/ops/diagonal_mask.hpp>
#include <placement/ops/where.hpp>
#include <placement/ops/zeros.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The extent beside another, |k| larger; dyn if it is not static.
constexpr index_t diagonal_length(index_t rows, index_t columns, index_t k) {
  index_t const m = k < 0 ? rows + k : rows, n = k > 0 ? columns - k : columns;
  index_t const shorter = m < n ? m : n;
  return shorter < 0 ? 0 : shorter;
}
}  // namespace detail

/// Elements (i, i + k) of a matrix. A view: of memory it costs nothing.
/// Shape: (m, n) -> (length of the diagonal), 0 for a k beside the matrix.
/// Type: any.  Kernels: CPU, GPU (pattern view_op).
struct diag_op {
  static constexpr std::string_view name = "MatrixDiagPartV2";
  using pattern = view_op;

  index_t k = 0;

  template <class X> constexpr dextents<1> result(X const& x) const {
    return {
        {detail::diagonal_length(x.at(0), x.at(1), detail::limited_diagonal(k, x.at(0), x.at(1)))}};
  }
  template <std::size_t R, class X>
  constexpr layout<1> moved(layout<R> const& where, X const& x) const {
    index_t const d = detail::limited_diagonal(k, x.at(0), x.at(1));
    layout<1> m;
    m.base = where.base + (d < 0 ? -d * where.stride[0] : d * where.stride[1]);
    m.stride[0] = where.stride[0] + where.stride[1];
    return m;
  }
};
/// `diag(matrix, 1)`: diagonal k of a matrix.
template <operand X> requires(bare<X>::rank == 2)
auto diag(X&& x, index_t k = 0, site at = site::here()) -> unary<diag_op, X> {
  return {{k}, at, std::forward<X>(x)};
}
/// `diag(vector, 1)`: a square matrix with x at diagonal k, and 0 elsewhere.
/// Shape: (n) -> (n + |k|, n + |k|).  Type: any.  Kernels: CPU, GPU.
/// Cost: one kernel, and for k other than 0 a temporary of n + |k| elements.
/// Throws: shape_error for more bytes than can be addressed.
template <operand X, class K = kernels_here> requires(bare<X>::rank == 1)
auto diag(X&& x, index_t k, site at = site::here()) {
  using T = typename bare<X>::value_type;
  constexpr index_t most = std::numeric_limits<index_t>::max();
  index_t const length = x.shape().at(0);
  index_t const before = k > 0 ? k : 0, after = k >= 0 ? 0 : k == -most - 1 ? most : -k;
  index_t const n = before + after > most - length ? most : length + before + after;
  detail::checked_count(shape(n, n), sizeof(T), "MatrixDiagV2", at);
  return where(
      detail::diagonal_mask<K>(shape(n, n), k, at),
      concat(axis<0>, zeros<T>(shape(before), at), std::forward<X>(x), zeros<T>(shape(after), at)),
      T{}, at);
}
/// The same at the main diagonal, which keeps a static extent. Cost: one kernel.
template <operand X, class K = kernels_here> requires(bare<X>::rank == 1)
auto diag(X&& x, site at = site::here()) {
  using T = typename bare<X>::value_type;
  constexpr index_t static_n = bare<X>::extents_type::static_extent(0);
  extents<static_n, static_n> square{};
  if constexpr (static_n == dyn) square.n[0] = square.n[1] = x.shape().at(0);
  detail::checked_count(square, sizeof(T), "MatrixDiagV2", at);
  return where(detail::diagonal_mask<K>(square, 0, at), std::forward<X>(x), T{}, at);
}

}}  // namespace placement::v0_1
