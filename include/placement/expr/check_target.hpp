#pragma once
/// Whether a tensor can have the value of an expression.

#include <placement/shape/extents.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether S has another element type or another rank.
template <class T, class X, class S>
inline constexpr bool differs_in_type =
    !std::is_same_v<T, typename S::value_type> || X::rank != S::extents_type::rank;
/// Whether the extents of both are all static, or all dynamic. Only then a rejected constructor is
/// implicit: f(extents<3>) must select f(dextents<1>) beside an f(dextents<2>).
template <class X, class Y>
inline constexpr bool both_static_or_both_dynamic =
    (X::is_static && Y::is_static) ||
    (std::is_same_v<X, dextents<X::rank>> && std::is_same_v<Y, dextents<Y::rank>>);

/// Whether a tensor<T, X> can have the value of E. Otherwise asserts with one sentence, and the
/// caller compiles nothing further.
template <class T, class X, class E> constexpr bool check_target() {
  static_assert(
      std::is_same_v<T, typename E::value_type>,
      "placement: the expression has another element type than the tensor. Write cast<T>(...).");
  static_assert(
      X::rank == E::extents_type::rank || !std::is_same_v<T, typename E::value_type>,
      "placement: the expression has another rank than the tensor. Reshape, reduce or expand_dims it.");
  static_assert(
      differs_in_type<T, X, E> || may_convert<X, typename E::extents_type>(),
      "placement: the expression has other extents than the tensor. Slice or reshape it.");
  return !differs_in_type<T, X, E> && may_convert<X, typename E::extents_type>();
}

}}}  // namespace placement::v0_1::detail
