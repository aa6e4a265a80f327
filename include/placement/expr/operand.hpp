#pragma once
/// Turns arguments of op functions into operands of nodes. Operands are stored by value; plain
/// numbers take the element type of the other operand.

#include <placement/expr/as_element.hpp>
#include <placement/expr/expr.hpp>
#include <placement/expr/promote.hpp>
#include <placement/kernels/pullback_reads.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The tensor type for the value of an expression.
template <class E>
using result_of =
    tensor<typename bare<E>::value_type, typename bare<E>::extents_type, device_in_type<E>>;

/// Whether a node refers to inline tensors that it does not own.
template <class X> inline constexpr bool names_inline = false;
template <class T, class X> inline constexpr bool names_inline<inline_ref<T, X>> = true;
template <class Op, class K, class... A>
inline constexpr bool names_inline<expr<Op, K, A...>> = (names_inline<A> || ...);
template <class E, class D, class P>
inline constexpr bool names_inline<placed<E, D, P>> = names_inline<E>;

/// Rejects an expression X that may outlive the inline tensors that it refers to.
template <class X> constexpr bool check_lifetime() {
  static_assert(
      !(names_inline<bare<X>> && std::is_lvalue_reference_v<X>),
      "placement: this expression names tensors that hold their elements themselves, and may outlive them. Evaluate "
      "it where it is written, or std::move it.");
  return true;
}

template <class X> struct node_operand {
  static_assert(check_lifetime<X>());
  using type = bare<X>;
};
template <class X> requires(is_inline<bare<X>> && std::is_lvalue_reference_v<X>)
struct node_operand<X> {
  using type = inline_ref<typename bare<X>::value_type, typename bare<X>::extents_type>;
};

/// Whether operand X is promoted to a larger integer type beside operand Other.
template <class X, class Other> constexpr bool is_promoted_beside() {
  if constexpr (operand<X> && operand<Other>) {
    using T = typename bare<X>::value_type;
    using U = typename bare<Other>::value_type;
    if constexpr (is_integer<T> && is_integer<U> && !std::is_same_v<T, U>) {
      using both = promoted_integers<T, U>;
      return both::exists && !std::is_same_v<T, typename both::type>;
    } else {
      return false;
    }
  } else {
    return false;
  }
}

template <class X, class Other> struct stored_as : node_operand<X> {};
template <class X, class Other> requires(is_promoted_beside<X, Other>())
struct stored_as<X, Other> {
  using both = promoted_integers<typename bare<X>::value_type, typename bare<Other>::value_type>;
  using type = expr<promote_op<typename both::type>, kernels_here, typename node_operand<X>::type>;
};
template <number X, operand Other> struct stored_as<X, Other> {
  using T = typename bare<Other>::value_type;
  static_assert(
      is_complex<T> || !is_complex<bare<X>>,
      "placement: a complex number beside a tensor of real numbers. Write cast<std::complex<float>>(x).");
  static_assert(
      !is_complex<bare<X>> || !is_complex<T> || sizeof(bare<X>) <= sizeof(T),
      "placement: a complex<double> beside a tensor of complex<float>. Write std::complex<float>, or a cast.");
  static_assert(
      !real_number<bare<X>> || !std::is_integral_v<T>,
      "placement: a floating-point number beside a tensor of integers. Write cast<float>(x), or an integer.");
  static_assert(!std::is_same_v<bare<X>, double> || std::is_same_v<T, double> || !real_number<T>,
                "placement: a double beside a tensor of floats. Write 2.f, or cast<double>(x).");
  using type = scalar<T>;
};

}  // namespace detail

/// The type that a node stores for operand argument X: a value; for a tensor, a handle; for a named
/// inline tensor, its address.
template <class X> using node_operand_t = typename detail::node_operand<X>::type;
/// The same for two arguments. A number becomes an element of the other operand's type. Integer
/// operands of different types are promoted to a common type.
template <class X, class Other = X> using stored_t = typename detail::stored_as<X, Other>::type;

/// x as the constructor of a node takes it: a number as an element, an integer operand that is
/// promoted as a node, anything else as it is.
template <class S, class X> PLACEMENT_ALWAYS_INLINE constexpr decltype(auto) store(X&& x) {
  static_assert(detail::check_used_once<X>());
  if constexpr (is_scalar<S>) return S{detail::as_element<typename S::value_type>(x)};
  else if constexpr (detail::is_promotion<S> && !std::is_same_v<S, bare<X>>)
    return S{{}, {}, std::forward<X>(x)};
  else return static_cast<X&&>(x);
}

/// The node of an op on operands, with the kernel set of this file.
template <class Op, class... X> using node = expr<Op, kernels_here, node_operand_t<X>...>;
template <class Op, class X> using unary = node<Op, X>;
namespace detail {
/// The same with kernel set K, for pullbacks.
template <class K, class Op, class... A> auto node_with(Op const& op, A const&... a) {
  return expr<Op, K, node_operand_t<A const&>...>{op, {}, a...};
}
}  // namespace detail
/// The node of an op on two operands, one of which may be a number.
template <class Op, class A, class B>
using binary = expr<Op, kernels_here, stored_t<A, B>, stored_t<B, A>>;

/// Two operands, or an operand and a number.
template <class A, class B> concept operands =
    (operand<A> && operand<B>) || (operand<A> && number<B>) || (number<A> && operand<B>);

/// Makes a `binary<Op, A, B>` from its arguments.
template <class Op, class A, class B>
PLACEMENT_ALWAYS_INLINE constexpr auto make_binary(Op op, site at, A&& a, B&& b)
    -> binary<Op, A, B> {
  return {op, at, store<stored_t<A, B>>(std::forward<A>(a)),
          store<stored_t<B, A>>(std::forward<B>(b))};
}

}}  // namespace placement::v0_1
