#pragma once
/// And, or, exclusive or, not: of bool tensors. Both sides are computed.

#include <placement/cpu/integer_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x && y, element by element.
/// Shape: broadcast.  Type: bool.  Kernels: CPU, GPU (pattern map).
struct logical_and_op {
  static constexpr std::string_view name = "LogicalAnd";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static void array_loop(bool* to, bool const* x, bool const* y, index_t n) {
    detail::bit_loops::bitwise_and(to, x, y, n);
  }
  template <bool_or_mask V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return x && y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator&&(A&& a, B&& b) -> binary<logical_and_op, A, B> {
  return make_binary(logical_and_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto logical_and(A&& a, B&& b, site at = site::here()) -> binary<logical_and_op, A, B> {
  return make_binary(logical_and_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x || y, element by element.
/// Shape: broadcast.  Type: bool.  Kernels: CPU, GPU (pattern map).
struct logical_or_op {
  static constexpr std::string_view name = "LogicalOr";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static void array_loop(bool* to, bool const* x, bool const* y, index_t n) {
    detail::bit_loops::bitwise_or(to, x, y, n);
  }
  template <bool_or_mask V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return x || y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator||(A&& a, B&& b) -> binary<logical_or_op, A, B> {
  return make_binary(logical_or_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto logical_or(A&& a, B&& b, site at = site::here()) -> binary<logical_or_op, A, B> {
  return make_binary(logical_or_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x != y, element by element.
/// Shape: broadcast.  Type: bool.  Kernels: CPU, GPU (pattern map).
struct logical_xor_op {
  static constexpr std::string_view name = "LogicalXor";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static void array_loop(bool* to, bool const* x, bool const* y, index_t n) {
    detail::bit_loops::bitwise_xor(to, x, y, n);
  }
  template <bool_or_mask V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return x != y;
  }
};
template <class A, class B> requires operands<A, B>
auto logical_xor(A&& a, B&& b, site at = site::here()) -> binary<logical_xor_op, A, B> {
  return make_binary(logical_xor_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// !x, element by element.
/// Shape: unchanged.  Type: bool.  Kernels: CPU, GPU (pattern map).
struct logical_not_op {
  static constexpr std::string_view name = "LogicalNot";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static void array_loop(bool* to, bool const* x, index_t n) {
    detail::bit_loops::bitwise_not(to, x, n);
  }
  template <bool_or_mask V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return !x;
  }
};
template <operand X> auto operator!(X&& x) -> unary<logical_not_op, X> {
  return {{}, {}, std::forward<X>(x)};
}
template <operand X> auto logical_not(X&& x, site at = site::here()) -> unary<logical_not_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
