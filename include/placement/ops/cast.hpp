#pragma once

#include <placement/expr/evaluate.hpp>

#include <limits>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The ends of integer type To, and as floating point, exactly, the first and what is past the
/// last. Data, which device code may read, where it may not call std::numeric_limits.
template <class To, class T> struct integer_ends {
  static constexpr To lowest = std::numeric_limits<To>::min();
  static constexpr To highest = std::numeric_limits<To>::max();
  static constexpr T first = static_cast<T>(lowest);
  static constexpr T past = T{2} * static_cast<T>(highest / 2 + 1);
};
}  // namespace detail

/// x as an element of type To, element by element. Floating point to integer drops the fraction;
/// numbers outside of To's range become its nearest number, NaN becomes 0. Integer to integer
/// wraps. To bool is x != 0.
/// Shape: unchanged.  Type: any to any.  Kernels: CPU, GPU (pattern map).
template <element To> struct cast_op {
  static constexpr std::string_view name = "Cast";
  using pattern = map;
  template <element T> PLACEMENT_HD constexpr To operator()(T x) const noexcept {
    if constexpr (std::is_same_v<To, bool>) {
      return x != T{};
    } else if constexpr (real_number<T> && std::is_integral_v<To>) {
      using ends = detail::integer_ends<To, computed_in<T>>;
      auto const wide = widened(x);
      if (wide != wide) return To{};
      if (wide <= ends::first) return ends::lowest;
      return wide >= ends::past ? ends::highest : static_cast<To>(wide);
    } else {
      return static_cast<To>(widened(x));
    }
  }
};
/// `cast<float>(x)`.
template <element To, operand X> auto cast(X&& x, site at = site::here()) -> unary<cast_op<To>, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
