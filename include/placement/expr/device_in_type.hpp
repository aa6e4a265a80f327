#pragma once
/// The device that the types of an expression's tensors agree on, if they name one.

#include <placement/fwd.hpp>
#include <placement/kernels/scalar.hpp>
#include <placement/place/placer.hpp>

#include <type_traits>

namespace placement::inline v0_1::detail {

/// Nothing that has a device: numbers, fills.
struct anywhere {};

/// D: dev<kind, index> when all tensors below name it, any_device when one leaves it open or they
/// differ.
template <class A, class B> struct agree {
  using type = any_device;
};
template <class A> struct agree<A, A> {
  using type = A;
};
template <class A> struct agree<A, anywhere> {
  using type = A;
};
template <class B> struct agree<anywhere, B> {
  using type = B;
};
template <> struct agree<anywhere, anywhere> {
  using type = anywhere;
};
template <class... D> struct all_agree {
  using type = anywhere;
};
template <class D, class... More>
struct all_agree<D, More...> : agree<D, typename all_agree<More...>::type> {};

template <class X> struct device_below {
  using type = any_device;
};
template <class T> struct device_below<scalar<T>> {
  using type = anywhere;
};
template <class T, class X, class D> struct device_below<tensor<T, X, D>> {
  using type = D;
};
template <class T, class X> struct device_below<inline_ref<T, X>> {
  using type = dev<kind::cpu, 0>;
};
template <class Op, class K, class... A>
struct device_below<expr<Op, K, A...>> : all_agree<typename device_below<A>::type...> {};
/// on() with a device that is known goes before what is inside, where tensors name theirs at all.
template <class E, class D, class P> struct device_below<placed<E, D, P>> {
  using inner = typename device_below<E>::type;
  using type =
      std::conditional_t<std::is_same_v<inner, any_device> || std::is_same_v<D, any_device>,
                         any_device, D>;
};

template <class D> struct named_or_any {
  using type = D;
};
template <> struct named_or_any<anywhere> {
  using type = any_device;
};

/// The tag of the device in E's type, or any_device.
template <class E>
using device_in_type =
    typename named_or_any<typename device_below<std::remove_cvref_t<E>>::type>::type;

/// An operand whose device is in its type, and whose value therefore needs nothing that only the
/// running program knows: CPU:0 throughout, and static extents.
template <class X> inline constexpr bool is_here = false;
template <class T> inline constexpr bool is_here<scalar<T>> = true;
template <class T, class X>
inline constexpr bool is_here<tensor<T, X, dev<kind::cpu, 0>>> = X::is_static;
template <class T, class X> inline constexpr bool is_here<inline_ref<T, X>> = true;
template <class Op, class K, class... A>
inline constexpr bool is_here<expr<Op, K, A...>> =
    expr<Op, K, A...>::extents_type::is_static && (is_here<A> && ...);
template <class E, class P>
inline constexpr bool is_here<placed<E, dev<kind::cpu, 0>, P>> = is_here<E>;

}  // namespace placement::inline v0_1::detail
