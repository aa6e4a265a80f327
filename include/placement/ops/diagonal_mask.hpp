#pragma once
/// Masks of matrices by the distance from a diagonal: what tril and triu select by.

#include <placement/ops/compare.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/iota.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of a diagonal, limited to those beside the matrix. Sums with a row then cannot
/// overflow.
constexpr index_t limited_diagonal(index_t k, index_t rows, index_t columns) {
  return k < -rows ? -rows : k > columns ? columns : k;
}

/// Row numbers + k as a column, and column numbers as a row.
template <class K, index_t M, index_t N>
auto rows_from(extents<M, N> const& x, index_t k, site at) {
  index_t const first = limited_diagonal(k, x.at(0), x.at(1));
  if constexpr (M == dyn)
    return expand_dims(iota(shape(x.at(0)), index_t{first}, index_t{1}, at), axis<1>, at);
  else return expand_dims(iota(extents<M>{}, index_t{first}, index_t{1}, at), axis<1>, at);
}
template <class K, index_t M, index_t N> auto columns_of(extents<M, N> const& x, site at) {
  if constexpr (N == dyn) return iota(shape(x.at(1)), index_t{0}, index_t{1}, at);
  else return iota(extents<N>{}, index_t{0}, index_t{1}, at);
}

/// True at (i, j) with j <= i + k.
template <class K, class X> auto lower_mask(X const& x, index_t k, site at) {
  return greater_equal(rows_from<K>(x, k, at), columns_of<K>(x, at), at);
}

/// The last two extents.
template <class X> constexpr auto matrix_shape(X const& x) {
  constexpr std::size_t R = X::rank;
  using matrix = extents<X::static_extent(R - 2), X::static_extent(R - 1)>;
  matrix m{};
  if constexpr (!matrix::is_static) {
    m.n[0] = x.at(R - 2);
    m.n[1] = x.at(R - 1);
  }
  return m;
}

}}}  // namespace placement::v0_1::detail
