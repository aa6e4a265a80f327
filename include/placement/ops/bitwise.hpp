#pragma once
/// Bits of integers: and, or, exclusive or, not, shifts. placement.hpp does not include this
/// header.

#include <placement/cpu/integer_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/shift.hpp>
#include <placement/ops/update.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// Integers and bool, and packs and masks of them.
template <class V> concept bits_or_pack = std::integral<simd::element_of<V>>;

/// The bits that x and y both have, element by element; of bool x && y.
/// Shape: broadcast.  Type: integers and bool; integers of two types are promoted.
/// Kernels: CPU, GPU (pattern map).
struct bitwise_and_op {
  static constexpr std::string_view name = "BitwiseAnd";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <std::integral T> static void array_loop(T* to, T const* x, T const* y, index_t n) {
    detail::bit_loops::bitwise_and(to, x, y, n);
  }
  template <bits_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return static_cast<V>(x & y);
  }
};
/// The bits that x or y has, element by element; of bool x || y.
/// Shape: broadcast.  Type: integers and bool; integers of two types are promoted.
/// Kernels: CPU, GPU (pattern map).
struct bitwise_or_op {
  static constexpr std::string_view name = "BitwiseOr";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <std::integral T> static void array_loop(T* to, T const* x, T const* y, index_t n) {
    detail::bit_loops::bitwise_or(to, x, y, n);
  }
  template <bits_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return static_cast<V>(x | y);
  }
};
/// The bits in which x and y differ, element by element; of bool x != y.
/// Shape: broadcast.  Type: integers and bool; integers of two types are promoted.
/// Kernels: CPU, GPU (pattern map).
struct bitwise_xor_op {
  static constexpr std::string_view name = "BitwiseXor";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <std::integral T> static void array_loop(T* to, T const* x, T const* y, index_t n) {
    detail::bit_loops::bitwise_xor(to, x, y, n);
  }
  template <bits_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    if constexpr (std::is_same_v<simd::element_of<V>, bool>) return x != y;
    else return static_cast<V>(x ^ y);
  }
};
/// The bits that x does not have, element by element; of bool !x.
/// Shape: unchanged.  Type: integers and bool.  Kernels: CPU, GPU (pattern map).
struct bitwise_not_op {
  static constexpr std::string_view name = "Invert";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <std::integral T> static void array_loop(T* to, T const* x, index_t n) {
    detail::bit_loops::bitwise_not(to, x, n);
  }
  template <bits_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    if constexpr (std::is_same_v<simd::element_of<V>, bool>) return !x;
    else return static_cast<V>(~x);
  }
};

template <class A, class B> requires operands<A, B>
auto operator&(A&& a, B&& b) -> binary<bitwise_and_op, A, B> {
  return make_binary(bitwise_and_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto bitwise_and(A&& a, B&& b, site at = site::here()) -> binary<bitwise_and_op, A, B> {
  return make_binary(bitwise_and_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x & y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator&=(X&& x, Y&& y) -> updated<X> {
  return update(x, x & std::forward<Y>(y));
}

template <class A, class B> requires operands<A, B>
auto operator|(A&& a, B&& b) -> binary<bitwise_or_op, A, B> {
  return make_binary(bitwise_or_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto bitwise_or(A&& a, B&& b, site at = site::here()) -> binary<bitwise_or_op, A, B> {
  return make_binary(bitwise_or_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x | y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator|=(X&& x, Y&& y) -> updated<X> {
  return update(x, x | std::forward<Y>(y));
}

template <class A, class B> requires operands<A, B>
auto operator^(A&& a, B&& b) -> binary<bitwise_xor_op, A, B> {
  return make_binary(bitwise_xor_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto bitwise_xor(A&& a, B&& b, site at = site::here()) -> binary<bitwise_xor_op, A, B> {
  return make_binary(bitwise_xor_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x ^ y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator^=(X&& x, Y&& y) -> updated<X> {
  return update(x, x ^ std::forward<Y>(y));
}

template <operand X> auto operator~(X&& x) -> unary<bitwise_not_op, X> {
  return {{}, {}, std::forward<X>(x)};
}
/// The same under its names in NumPy, which know their line.
template <operand X> auto bitwise_not(X&& x, site at = site::here()) -> unary<bitwise_not_op, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X> auto invert(X&& x, site at = site::here()) -> unary<bitwise_not_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
