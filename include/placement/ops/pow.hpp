#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/pow.hpp>
#include <placement/ops/wrap.hpp>

namespace placement { inline namespace v0_1 {

/// x to the power y, element by element. Integers multiply and wrap; to a negative power they are 1
/// / x^-y without the remainder: 0 unless x is 1 or -1.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct pow_op {
  static constexpr std::string_view name = "Pow";
  using pattern = map;
  static constexpr int cost_per_element = 48;
  template <wraps_or_rounds T>
  [[gnu::always_inline]] PLACEMENT_HD constexpr T operator()(T x, T y) const noexcept {
    if constexpr (real_number<T>) {
      return static_cast<T>(math::pow(widened(x), widened(y)));
    } else {
      bool const odd = y % 2 != 0;
      if constexpr (std::is_signed_v<T>)
        if (y < 0) return x == 1 ? T{1} : x == -1 ? (odd ? T{-1} : T{1}) : T{};
      auto power = as_unsigned(x), product = as_unsigned(T{1});
      for (auto n = as_unsigned(y); n != 0; n /= 2, power *= power)
        if (n % 2 != 0) product *= power;
      return static_cast<T>(product);
    }
  }
};
template <class A, class B> requires operands<A, B>
auto pow(A&& a, B&& b, site at = site::here()) -> binary<pow_op, A, B> {
  return make_binary(pow_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

}}  // namespace placement::v0_1
