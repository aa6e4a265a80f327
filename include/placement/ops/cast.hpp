#pragma once

#include <placement/expr/evaluate.hpp>

#include <limits>

namespace placement::inline v0_1 {

/// x as an element of type To, element by element. Floating point to integer drops the fraction,
/// takes the nearest integer there is for what lies outside, and 0 for NaN; integer to integer
/// wraps; to bool is x != 0.
/// Shape: unchanged.  Type: any to any.  Kernels: CPU, GPU (pattern map).
template <element To> struct cast_op {
  static constexpr std::string_view name = "Cast";
  using pattern = map;
  template <element T> PLACEMENT_HD constexpr To operator()(T x) const noexcept {
    if constexpr (std::is_same_v<To, bool>) {
      return x != T{};
    } else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<To>) {
      using limits = std::numeric_limits<To>;
      constexpr T lowest = static_cast<T>(limits::min());  // a power of two, or 0: exact
      constexpr T above =
          T{2} * static_cast<T>(limits::max() / 2 + 1);  // one more than the largest
      return x != x        ? To{}
             : x <= lowest ? limits::min()
             : x >= above  ? limits::max()
                           : static_cast<To>(x);
    } else {
      return static_cast<To>(x);
    }
  }
};
/// `cast<float>(x)`.
template <element To, operand X> auto cast(X&& x, site at = site::here()) -> unary<cast_op<To>, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
