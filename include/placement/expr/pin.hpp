#pragma once
/// Pins parts of an expression to a device, and checks strict policies at compile time.

#include <placement/expr/fusion.hpp>
#include <placement/expr/operand.hpp>
#include <placement/expr/placed.hpp>
#include <placement/place/scope.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The innermost op of X without a declared GPU kernel that no inner on() pins; void if there is
/// none. Not recursive, so that the compiler's error is one sentence without a chain of
/// instantiations.
template <class... Found> struct first_found {
  using type = void;
};
template <class F, class... More> struct first_found<F, More...> {
  using type = F;
};
template <class... More> struct first_found<void, More...> : first_found<More...> {};

template <class Op, class T> struct missing_kernel {};
template <class X> struct first_missing {
  using type = void;
};
template <class Op, class K, class... A>
struct first_missing<expr<Op, K, A...>>
    : first_found<typename first_missing<A>::type...,
                  std::conditional_t<declared<expr<Op, K, A...>>, void,
                                     missing_kernel<Op, element_of<expr<Op, K, A...>>>>> {};

/// Instantiated with the op, the element type and the device, so that the compiler's error names
/// them.
template <class Missing, class Device> struct strict_scope {
  static_assert(
      std::is_void_v<Missing>,
      "placement: an op has no GPU kernel for this element type, and the scope is strict. Use a soft scope, or "
      "give the op a GPU kernel (docs/adding_an_op.md).");
  static constexpr bool holds = true;
};

// ---- copies that are known from types

template <class... X> struct operands_found {};
template <class A, class B> struct both_lists;
template <class... A, class... B> struct both_lists<operands_found<A...>, operands_found<B...>> {
  using type = operands_found<A..., B...>;
};
template <class... List> struct all_of_lists {
  using type = operands_found<>;
};
template <class A, class... More>
struct all_of_lists<A, More...> : both_lists<A, typename all_of_lists<More...>::type> {};

/// The tensors of X with a device in their type, and the parts that on() runs on a statically known
/// device.
template <class X> struct typed_operands {
  using type = operands_found<>;
};
template <class T, class X, class D> requires(D::value.has_value())
struct typed_operands<tensor<T, X, D>> {
  using type = operands_found<tensor<T, X, D>>;
};
template <class T, class X> struct typed_operands<inline_ref<T, X>> {
  using type = operands_found<tensor<T, X, dev<kind::cpu, 0>>>;
};
template <class E, class D, class P> requires(D::value.has_value())
struct typed_operands<placed<E, D, P>> {
  using type = operands_found<placed<E, D, P>>;
};
template <class Op, class K, class... A>
struct typed_operands<expr<Op, K, A...>> : all_of_lists<typename typed_operands<A>::type...> {};

template <class X> struct tag_of;
template <class T, class X, class D> struct tag_of<tensor<T, X, D>> {
  using type = D;
};
template <class E, class D, class P> struct tag_of<placed<E, D, P>> {
  using type = D;
};

/// The first operand that is not on device D.
template <class D, class... X>
using first_elsewhere = typename first_found<
    std::conditional_t<std::is_same_v<typename tag_of<X>::type, D>, void, X>...>::type;

/// Instantiated with both operands, or with an operand and the device of its op.
template <class Operand, class Other> struct no_copies_between {
  static_assert(
      std::is_void_v<Operand>,
      "placement: an operand is on another device than the op that reads it, and no copies are allowed. Move it with "
      "copy_to, or allow copies.");
  static constexpr bool holds = true;
};
template <class D, class... X> constexpr void check_copies(operands_found<X...>) {
  if constexpr (D::value.has_value()) {
    static_assert(no_copies_between<first_elsewhere<D, X...>, D>::holds);
  } else if constexpr (sizeof...(X) > 1) {
    using first = typename first_type<X...>::type;
    using other = first_elsewhere<typename tag_of<first>::type, X...>;
    static_assert(no_copies_between<other, first>::holds);
  }
}

// Checks of policies P for an expression that is evaluated on D. They take the facts found in the
// expression, because the expression's type would precede the sentence in the error.

template <class P, class D, class Missing> constexpr void check_kernels() {
  if constexpr ((includes<P, strict_t> || includes<P, no_fallback_t>) && D::value.type == kind::gpu)
    static_assert(strict_scope<Missing, D>::holds);
}
template <class P, class D, class Operands> constexpr void check_budget() {
  if constexpr (includes<P, at_most<copies, 0>>) check_copies<D>(Operands{});
}

}  // namespace detail

/// Evaluates this part of an expression on that device; a kernel boundary. The device name is
/// merged with the enclosing scopes, like that of an op in a scope of this device. Pins every
/// kernel inside that no inner on() pins.
template <device_tag D, operand E>
auto on(D, E&& e, site at = site::here()) -> placed<node_operand_t<E>, D, soft_t> {
  return {std::forward<E>(e), detail::requested_in(detail::spec_of_tag<D>()), at};
}
template <operand E>
auto on(device_request r, E&& e) -> placed<node_operand_t<E>, any_device, soft_t> {
  return {std::forward<E>(e), detail::requested_in(r.requested), r.where};
}

template <class D, class P>
template <class E>
auto with_device<D, P>::operator()(E&& e, site at) const -> placed<node_operand_t<E>, D, P> {
  detail::check_kernels<P, D, typename detail::first_missing<bare<E>>::type>();
  detail::check_budget<P, D, typename detail::typed_operands<bare<E>>::type>();
  return {std::forward<E>(e), detail::requested_in(mine_), at};
}

}}  // namespace placement::v0_1
