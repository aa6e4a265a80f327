#pragma once
/// Pinning a part of an expression to a device, and the strict policy's question at compile time.

#include <placement/expr/region.hpp>

namespace placement::inline v0_1 {

namespace detail {

/// The innermost op of X that no inner on() pins and that declares no GPU kernel; void when there
/// is none. Flat, so that a compiler's answer is one sentence and not a chain of instantiations.
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

/// Instantiated with the op, the element type and the device, which the compiler then names.
template <class Missing, class Device> struct strict_scope {
  static_assert(
      std::is_void_v<Missing>,
      "placement: an op has no GPU kernel for this element type, and the scope is strict. Use a soft scope, or "
      "give the op a GPU kernel (docs/adding_an_op.md).");
  static constexpr bool holds = true;
};

template <class E, class D, class P> constexpr void check_strict() {
  if constexpr (std::is_same_v<P, strict_t> && D::value.type == kind::gpu)
    static_assert(strict_scope<typename first_missing<E>::type, D>::holds);
}

}  // namespace detail

/// This part is evaluated on that device, wherever it is written and used; a kernel boundary.
/// It pins every kernel inside that no inner on() pins.
template <device_tag D, operand E>
auto on(D, E&& e, site at = site::here()) -> placed<bare<E>, D, soft_t> {
  return {std::forward<E>(e), wish{D::value}, at};
}
template <operand E> auto on(device_request r, E&& e) -> placed<bare<E>, any_device, soft_t> {
  return {std::forward<E>(e), r.asked, r.where};
}

template <class D, class P>
template <class E>
auto with_device<D, P>::operator()(E&& e) const -> placed<std::remove_cvref_t<E>, D, P> {
  detail::check_strict<bare<E>, D, P>();
  return {std::forward<E>(e), mine_, {}};
}

}  // namespace placement::inline v0_1
