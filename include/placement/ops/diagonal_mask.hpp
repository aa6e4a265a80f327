#pragma once
/// Masks of matrices by the distance from a diagonal: what tril and triu select by.

#include <placement/expr/operand.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/packs.hpp>

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

namespace no_adl {
/// x >= y for whole numbers whose difference does not overflow: by its sign, where a processor
/// compares no int64.
struct not_less_op {
  static constexpr std::string_view name = "GreaterEqual";
  using pattern = map;
  static constexpr bool takes_packs = true;
  PLACEMENT_HD constexpr bool operator()(index_t x, index_t y) const noexcept { return x >= y; }
  template <int N>
  PLACEMENT_ALWAYS_INLINE auto operator()(simd::pack<index_t, N> const& x,
                                          simd::pack<index_t, N> const& y) const noexcept {
    if constexpr (PLACEMENT_VECTOR_COMPARES_LONG) {
      return x >= y;
    } else {
      auto const high = simd::bit_cast<std::uint64_t>(x - y) >> 32;
      return simd::convert<std::int32_t>(high) >= simd::pack<std::int32_t, N>(0);
    }
  }
};
}  // namespace no_adl
using no_adl::not_less_op;

/// True at (i, j) with j <= i + k.
template <class K, class X> auto lower_mask(X const& x, index_t k, site at) {
  return make_binary(not_less_op{}, at, rows_from<K>(x, k, at), columns_of<K>(x, at));
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
