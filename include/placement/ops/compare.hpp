#pragma once
/// The six comparisons, each as an operator and under a name, which knows its line.

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x == y, element by element. False where either is NaN.
/// Shape: broadcast.  Type: any, the same on both sides, to bool.  Kernels: CPU, GPU (pattern map).
struct equal_op {
  static constexpr std::string_view name = "Equal";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <element_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    if constexpr (is_complex<V>) return detail::complex_math<V>::equal(x, y);
    else return x == y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator==(A&& a, B&& b) -> binary<equal_op, A, B> {
  return make_binary(equal_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto equal(A&& a, B&& b, site at = site::here()) -> binary<equal_op, A, B> {
  return make_binary(equal_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x != y, element by element. True where either is NaN.
/// Shape: broadcast.  Type: any, the same on both sides, to bool.  Kernels: CPU, GPU (pattern map).
struct not_equal_op {
  static constexpr std::string_view name = "NotEqual";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <element_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    if constexpr (is_complex<V>) return !detail::complex_math<V>::equal(x, y);
    else return x != y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator!=(A&& a, B&& b) -> binary<not_equal_op, A, B> {
  return make_binary(not_equal_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto not_equal(A&& a, B&& b, site at = site::here()) -> binary<not_equal_op, A, B> {
  return make_binary(not_equal_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x < y, element by element. False where either is NaN.
/// Shape: broadcast.  Type: any, the same on both sides, to bool.  Kernels: CPU, GPU (pattern map).
struct less_op {
  static constexpr std::string_view name = "Less";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <ordered_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    return x < y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator<(A&& a, B&& b) -> binary<less_op, A, B> {
  return make_binary(less_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto less(A&& a, B&& b, site at = site::here()) -> binary<less_op, A, B> {
  return make_binary(less_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x <= y, element by element. False where either is NaN.
/// Shape: broadcast.  Type: any, the same on both sides, to bool.  Kernels: CPU, GPU (pattern map).
struct less_equal_op {
  static constexpr std::string_view name = "LessEqual";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <ordered_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    return x <= y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator<=(A&& a, B&& b) -> binary<less_equal_op, A, B> {
  return make_binary(less_equal_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto less_equal(A&& a, B&& b, site at = site::here()) -> binary<less_equal_op, A, B> {
  return make_binary(less_equal_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x > y, element by element. False where either is NaN.
/// Shape: broadcast.  Type: any, the same on both sides, to bool.  Kernels: CPU, GPU (pattern map).
struct greater_op {
  static constexpr std::string_view name = "Greater";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <ordered_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    return x > y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator>(A&& a, B&& b) -> binary<greater_op, A, B> {
  return make_binary(greater_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto greater(A&& a, B&& b, site at = site::here()) -> binary<greater_op, A, B> {
  return make_binary(greater_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

/// x >= y, element by element. False where either is NaN.
/// Shape: broadcast.  Type: any, the same on both sides, to bool.  Kernels: CPU, GPU (pattern map).
struct greater_equal_op {
  static constexpr std::string_view name = "GreaterEqual";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <ordered_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    return x >= y;
  }
};
template <class A, class B> requires operands<A, B>
auto operator>=(A&& a, B&& b) -> binary<greater_equal_op, A, B> {
  return make_binary(greater_equal_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto greater_equal(A&& a, B&& b, site at = site::here()) -> binary<greater_equal_op, A, B> {
  return make_binary(greater_equal_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

}}  // namespace placement::v0_1
