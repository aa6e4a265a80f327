#pragma once

#include <placement/ops/box_op.hpp>
#include <placement/ops/diagonal_mask.hpp>
#include <placement/ops/sum.hpp>

#include <limits>
#include <utility>

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
/// A matrix with its operand at diagonal k, a vector or one number, and 0 elsewhere. Its elements
/// are filled at once, and those of the diagonal written.
template <class Shape> struct matrix_diag_op : detail::box_op<matrix_diag_op<Shape>> {
  static constexpr std::string_view name = "MatrixDiagV2";

  [[no_unique_address]] Shape matrix;
  index_t k;

  constexpr matrix_diag_op(Shape of, index_t diagonal)
      : matrix(of), k(detail::limited_diagonal(diagonal, of.at(0), of.at(1))) {}

  template <class X> constexpr Shape result(X const&) const { return matrix; }
  template <class T, class Y, class X, class Boxes>
  void each_box(dense_view<T, Y> const& out, dense_view<T const, X> const& in,
                Boxes const& f) const {
    index_t const columns = matrix.at(1);
    index_t const length = detail::diagonal_length(matrix.at(0), columns, k);
    f.fill(out.data, row_major(out.shape), T{}, detail::values_of(out.shape));
    if (length == 0) return;
    layout<1> const to{k < 0 ? -k * columns : k, {columns + 1}}, from{0, {X::rank == 0 ? 0 : 1}};
    f.copy(out.data, to, in.data, from, dextents<1>{{length}});
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    static_assert(I == 0);
    auto part = unary<diag_op, decltype(g)>{{k}, {}, g};
    if constexpr (bare<decltype(x)>::rank == 0) return sum(std::move(part));
    else return part;
  }
};
/// `diag(vector, 1)`: a square matrix with x at diagonal k, and 0 elsewhere.
/// Shape: (n) -> (n + |k|, n + |k|).  Type: any.  Kernels: CPU, GPU (pattern custom).
/// Throws: shape_error for more bytes than can be addressed.
template <operand X> requires(bare<X>::rank == 1)
auto diag(X&& x, index_t k, site at = site::here()) -> unary<matrix_diag_op<dextents<2>>, X> {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  index_t const length = x.shape().at(0);
  index_t const beside = k >= 0 ? k : k == -most - 1 ? most : -k;
  index_t const n = beside > most - length ? most : length + beside;
  detail::checked_count(shape(n, n), sizeof(typename bare<X>::value_type), "MatrixDiagV2", at);
  return {{shape(n, n), k}, at, std::forward<X>(x)};
}
/// The same at the main diagonal, which keeps a static extent.
template <operand X> requires(bare<X>::rank == 1)
auto diag(X&& x, site at = site::here()) {
  constexpr index_t static_n = bare<X>::extents_type::static_extent(0);
  using square = extents<static_n, static_n>;
  square n{};
  if constexpr (static_n == dyn) n.n[0] = n.n[1] = x.shape().at(0);
  detail::checked_count(n, sizeof(typename bare<X>::value_type), "MatrixDiagV2", at);
  return unary<matrix_diag_op<square>, X>{{n, 0}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
