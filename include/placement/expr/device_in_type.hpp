#pragma once
/// The device that all tensor types of an expression name, if they agree.

#include <placement/device/device.hpp>
#include <placement/device/tag.hpp>
#include <placement/fwd.hpp>
#include <placement/kernels/scalar.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The device of operands without one: numbers and fills.
struct anywhere {};

/// The device tag `dev<kind, index>` if all tensors name it. `any_device` if one leaves its device
/// open or if they differ.
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
/// A known device of on() overrides those inside, provided that the tensors inside name devices.
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

/// The tag of the device in E's type, or `any_device`.
template <class E>
using device_in_type =
    typename named_or_any<typename device_below<std::remove_cvref_t<E>>::type>::type;

/// Whether an operand can be evaluated without run-time information: all devices are CPU:0 by type,
/// and extents are static.
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

}}}  // namespace placement::v0_1::detail
