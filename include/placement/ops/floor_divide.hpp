#pragma once

#include <placement/expr/operand.hpp>
#include <placement/kernels/simd_divide.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// x - y floor(x / y), element by element, with the sign of y: Python's %, where `modulo` is C's.
/// An integer % 0 is 0; floating point is exact but for the sum that brings a remainder of the
/// other sign to that of y. NaN where y is 0 or x is infinite.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct floor_modulo_op {
  static constexpr std::string_view name = "FloorMod";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    using std::fmod;
    using T = simd::element_of<V>;
    if constexpr (real_number<T>) {
      auto const b = widened(y), r = fmod(widened(x), b);
      using W = std::remove_const_t<decltype(b)>;
      auto const zero = math::with_sign(W{}, math::sign_of(b));
      auto const moved = simd::select((r < W{}) != (b < W{}), r + b, r);
      return static_cast<V>(simd::select(r == W{}, zero, moved));
    } else {
      V const r = simd::remainder(x, y);
      if constexpr (std::is_unsigned_v<T>) return r;
      else return simd::select(r != V{} && (r < V{}) != (y < V{}), static_cast<V>(r + y), r);
    }
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& z, auto const& x, auto const& y) {
    if constexpr (I == 0) return g;
    else return g * ((z - x) / y);  // z = x - y * floor(x / y)
  }
};
template <class A, class B> requires operands<A, B>
auto floor_modulo(A&& x, B&& y, site at = site::here()) -> binary<floor_modulo_op, A, B> {
  return make_binary(floor_modulo_op{}, at, std::forward<A>(x), std::forward<B>(y));
}

/// The largest whole number that is not above x / y, element by element: Python's //, where the
/// quotient of integers drops the remainder. Found from the exact remainder, so that 1 // 0.1 is 9.
/// An integer / 0 is 0, and the lowest integer / -1 wraps; floating point / 0 is that of x / y.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct floor_divide_op {
  static constexpr std::string_view name = "FloorDiv";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    using std::floor, std::fmod;
    using T = simd::element_of<V>;
    if constexpr (real_number<T>) {
      auto const a = widened(x), b = widened(y), r = fmod(a, b);
      using W = std::remove_const_t<decltype(b)>;
      auto const all = a / b, even = (a - r) / b;
      auto const less = simd::select(r != W{} && (r < W{}) != (b < W{}), even - W(1), even);
      auto const below = floor(less);
      auto const whole = simd::select(less - below > W(0.5f), below + W(1), below);
      auto const signed_zero = math::with_sign(W{}, math::sign_of(all));
      return static_cast<V>(
          simd::select(b == W{}, all, simd::select(whole == W{}, signed_zero, whole)));
    } else {
      V const q = simd::quotient(x, y);
      if constexpr (std::is_unsigned_v<T>) {
        return q;
      } else {
        V const r = simd::remainder(x, y);
        return simd::select(r != V{} && (r < V{}) != (y < V{}), static_cast<V>(q - V(T{1})), q);
      }
    }
  }
};
template <class A, class B> requires operands<A, B>
auto floor_divide(A&& x, B&& y, site at = site::here()) -> binary<floor_divide_op, A, B> {
  return make_binary(floor_divide_op{}, at, std::forward<A>(x), std::forward<B>(y));
}

}}  // namespace placement::v0_1
