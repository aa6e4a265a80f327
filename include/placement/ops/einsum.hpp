#pragma once

#include <placement/ops/contract.hpp>
#include <placement/ops/label_extents.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The subscripts S of operands X..., asserted to be right.
template <fixed_string S, class... X> constexpr parsed_subscripts parsed_for() {
  constexpr parsed_subscripts p = [] {
    int const ranks[] = {static_cast<int>(bare<X>::extents_type::rank)...};
    parsed_subscripts read = subscript_parser(S.view(), ranks, sizeof...(X)).parse();
    if (read.error == subscript_error::none &&
        !static_extents_agree<typename bare<X>::extents_type...>(read.operand))
      read.error = subscript_error::extents;
    return read;
  }();
  using enum subscript_error;
  static_assert(p.error != characters,
                "placement: einsum reads letters, ..., commas and one arrow. Write \"ij,jk->ik\".");
  static_assert(p.error != operands,
                "placement: einsum has as many operands as its subscripts have parts. Separate the "
                "parts by commas; there are at most 8.");
  static_assert(p.error != rank,
                "placement: einsum takes one subscript for each dimension of an operand. Check the "
                "ranks, or write ... for further dimensions.");
  static_assert(p.error != repeated_output,
                "placement: einsum's result has a subscript twice. Name each once after ->.");
  static_assert(p.error != unknown_output,
                "placement: einsum's result has a subscript that no operand has. Check what is "
                "after ->.");
  static_assert(p.error != no_ellipsis_in_output,
                "placement: einsum's operands have ... but its result has not. Write it after ->.");
  static_assert(p.error != extents,
                "placement: einsum's extents of one subscript differ. Check the shapes.");
  return p;
}

/// The labels of the first two operands that a later one or the result has, those of the result
/// first.
constexpr subscript_list needed_later(parsed_subscripts const& p) {
  subscript_list s;
  auto add = [&](subscript_list const& from) {
    for (int i = 0; i != from.size; ++i)
      if (int const l = from.label[i]; (p.operand[0].has(l) || p.operand[1].has(l)) && !s.has(l))
        s.add(l);
  };
  add(p.out);
  for (int k = 2; k < p.operands; ++k) add(p.operand[k]);
  return s;
}
/// The subscripts after the first two operands are contracted.
constexpr parsed_subscripts first_two_contracted(parsed_subscripts p) {
  subscript_list const first = needed_later(p);
  for (int k = 1; k + 1 < p.operands; ++k) p.operand[k] = p.operand[k + 1];
  p.operand[0] = first;
  --p.operands;
  return p;
}
template <class K, parsed_subscripts P, class A> auto contract_all(site at, A&& a) {
  return sum_labels<K, P.operand[0], P.out>(std::forward<A>(a), at);
}
template <class K, parsed_subscripts P, class A, class B, class... More>
auto contract_all(site at, A&& a, B&& b, More&&... more) {
  static constexpr contraction c{P.operand[0], P.operand[1], needed_later(P)};
  if constexpr (sizeof...(More) == 0) {
    return contract<K, c>(std::forward<A>(a), std::forward<B>(b), at);
  } else {
    return contract_all<K, first_two_contracted(P)>(
        at, contract<K, c>(std::forward<A>(a), std::forward<B>(b), at),
        std::forward<More>(more)...);
  }
}

template <fixed_string S, class K, class A, class... More>
auto einsum_at(site at, A&& a, More&&... more) {
  static constexpr parsed_subscripts p = parsed_for<S, A, More...>();
  constexpr bool one_type = (std::is_same_v<element_type_of<A>, element_type_of<More>> && ...);
  static_assert(
      one_type,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  if constexpr (one_type && p.error == subscript_error::none) {
    check_label_extents("einsum of \"" + std::string(S.view()) + "\"", p.operand,
                        {a.shape(), more.shape()...}, at);
    return contract_all<K, p>(at, std::forward<A>(a), std::forward<More>(more)...);
  } else {
    return std::forward<A>(a);  // after an assertion, so that no other error follows
  }
}

}  // namespace detail

/// NumPy's einsum, whose subscripts the compiler reads: `einsum<"bij,bjk->bik">(a, b)`. A subscript
/// names a dimension. Those that the result lacks are summed; one twice in an operand is its
/// diagonal. "..." are further dimensions, which broadcast. Without an arrow the result has the
/// subscripts that occur once, in alphabetical order.
/// Shape: as after ->; static extents stay static.  Type: any number, the same in all operands.
/// Kernels: of two operands the first of these that suffices: an element-wise product of views; a
/// sum of one; a batch of matrix products. Further operands follow from left to right.
/// Cost: operands are not copied. Exceptions: dimensions that form one dimension of a matrix, but
/// do not follow each other in a tensor, are reshaped. A result in another order than batch, left,
/// right is transposed.
/// Throws: shape_error if extents of one subscript differ (a compile error for static extents, and
/// for wrong subscripts). An extent of 1 is broadcast in "..." only.
template <detail::fixed_string S, operand A, class K = kernels_here>
auto einsum(A&& a, site at = site::here()) {
  return detail::einsum_at<S, K>(at, std::forward<A>(a));
}
template <detail::fixed_string S, operand A, operand B, class K = kernels_here>
auto einsum(A&& a, B&& b, site at = site::here()) {
  return detail::einsum_at<S, K>(at, std::forward<A>(a), std::forward<B>(b));
}
template <detail::fixed_string S, operand A, operand B, operand C, class K = kernels_here>
auto einsum(A&& a, B&& b, C&& c, site at = site::here()) {
  return detail::einsum_at<S, K>(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
}
/// Four operands or more: errors do not name the source line.
template <detail::fixed_string S, operand A, operand... More, class K = kernels_here>
requires(sizeof...(More) > 2)
auto einsum(A&& a, More&&... more) {
  return detail::einsum_at<S, K>(site{}, std::forward<A>(a), std::forward<More>(more)...);
}

}}  // namespace placement::v0_1
