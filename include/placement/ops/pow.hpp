#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/pow.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x to the power y, element by element. Integers multiply and wrap; to a negative power they are 1
/// / x^-y without the remainder: 0 unless x is 1 or -1.
/// Shape: broadcast.  Type: any arithmetic but bool, or complex, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct pow_op {
  static constexpr std::string_view name = "Pow";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 48;
  template <class T> static constexpr detail::binary_loop<T> loop = detail::pow_loop;
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    using T = simd::element_of<V>;
    if constexpr (real_number<T>) {
      return static_cast<V>(math::pow(widened(x), widened(y)));
    } else {
      V const one(T{1});
      V product = one, power = x, n = y;
      if constexpr (std::is_signed_v<T>) n = simd::select(y < V{}, V{}, y);
      while (simd::any(n != V{})) {
        product = simd::select(bit(n) != V{}, multiply_op{}(product, power), product);
        power = multiply_op{}(power, power);
        n = static_cast<V>(n >> 1);
      }
      if constexpr (std::is_signed_v<T>) {
        V const minus_one(T{-1}), sign = simd::select(bit(y) != V{}, minus_one, one);
        V const inverse = simd::select(x == minus_one, sign, V{});
        product = simd::select(y < V{}, simd::select(x == one, one, inverse), product);
      }
      return product;
    }
  }
  template <class V> requires is_complex<V>
  V operator()(V x, V y) const noexcept {
    return detail::complex_math<V>::pow(x, y);
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const& a, auto const& b) {
    if constexpr (I == 0) return g * b * pow(a, b - 1);
    else if constexpr (number<decltype(a)>)
      return g * y * static_cast<bare<decltype(a)>>(std::log(a));
    else return g * (y * log(where(a > 0, a, 1)));
  }

 private:
  /// The lowest bit.
  template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD static constexpr V bit(V n) noexcept {
    return static_cast<V>(n & V(simd::element_of<V>{1}));
  }
};
template <class A, class B> requires operands<A, B>
auto pow(A&& a, B&& b, site at = site::here()) -> binary<pow_op, A, B> {
  return make_binary(pow_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

}}  // namespace placement::v0_1
