#pragma once

#include <placement/expr/evaluate.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_product(std::string const& a,
                                                              std::string const& b) {
  throw shape_error(
      "placement: matmul of shapes " + a + " and " + b +
      ": the columns of the left side must be as many as the rows of the right. Transpose one side, or check the shapes.");
}
/// The shape of a batch of products: NumPy's rule for the dimensions before the last two.
template <class A, class B, std::size_t... D>
auto product_type(std::index_sequence<D...>)
    -> extents<joined_static(padded_static_extent<A, sizeof...(D) + 2>(D),
                             padded_static_extent<B, sizeof...(D) + 2>(D))...,
               A::static_extent(A::rank - 2), B::static_extent(B::rank - 1)>;
template <class A, class B> constexpr bool batches_broadcast() {
  constexpr std::size_t R = joined_rank<A, B>;
  for (std::size_t d = 0; d + 2 < R; ++d)
    if (joined_static(padded_static_extent<A, R>(d), padded_static_extent<B, R>(d)) == -2)
      return false;
  return true;
}
template <class A, class B> constexpr bool inner_extents_agree() {
  index_t const k = A::static_extent(A::rank - 1), rows = B::static_extent(B::rank - 2);
  return k == dyn || rows == dyn || k == rows;
}
}  // namespace detail

/// Matrix product over the last two dimensions; those before are a batch, broadcast as NumPy does.
/// Shape: (..., m, k), (..., k, n) -> (..., m, n).  Type: any arithmetic, the same on both sides;
/// integers wrap.
/// Kernels: CPU all types; GPU floating point.  Throws: shape_error.
struct matmul_op {
  static constexpr std::string_view name = "MatMul";
  using pattern = gemm;

  template <class A, class B> static constexpr auto result(A const& a, B const& b) {
    static_assert(
        A::rank >= 2 && B::rank >= 2,
        "placement: matmul takes matrices. Use expand_dims to make a vector a row or a column.");
    static_assert(
        detail::inner_extents_agree<A, B>(),
        "placement: matmul's inner extents differ. Transpose one side, or check the shapes.");
    static_assert(
        detail::batches_broadcast<A, B>(),
        "placement: matmul's batches do not broadcast. Their extents must be equal or 1.");
    constexpr std::size_t R = detail::joined_rank<A, B>;
    if (a.at(A::rank - 1) != b.at(B::rank - 2)) detail::no_product(to_string(a), to_string(b));
    using shape = decltype(detail::product_type<A, B>(std::make_index_sequence<R - 2>{}));
    shape x{};
    for (std::size_t d = 0; d != R; ++d) {
      index_t n = d + 2 == R ? a.at(A::rank - 2) : b.at(B::rank - 1);
      if (d + 2 < R) {
        index_t const p = detail::padded_extent<R>(a, d), q = detail::padded_extent<R>(b, d);
        if (p != q && p != 1 && q != 1) detail::no_broadcast(a, b);
        n = p == 1 ? q : p;
      }
      if constexpr (!shape::is_static) x.n[d] = n;
    }
    return x;
  }
};
template <operand A, operand B>
auto matmul(A&& a, B&& b, site at = site::here()) -> node<matmul_op, A, B> {
  return {{}, at, std::forward<A>(a), std::forward<B>(b)};
}

}}  // namespace placement::v0_1
