#pragma once

#include <placement/cpu/close_loops.hpp>
#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// How far x may be from y: |x - y| <= atol + rtol |y|. With equal_nan, NaN is close to NaN.
struct tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};

/// NumPy's isclose: is |x - y| <= atol + rtol |y|? Element by element. Infinities are close only to
/// themselves. The rule is not symmetric: y is the reference.
/// Shape: broadcast.  Type: any arithmetic but bool, or complex, the same on both sides, to bool.
/// Integers are compared in double, 16-bit numbers in float, complex ones by absolute values.
/// Kernels: CPU, GPU (pattern map).
struct isclose_op {
  static constexpr std::string_view name = "IsClose";
  using pattern = map;
  static constexpr bool takes_packs = true;

  tolerance within;

  /// Y: the address of numbers, or a number.
  template <detail::has_element_loops T, class Y>
  requires std::is_same_v<Y, T> || std::is_same_v<Y, T const*>
  void array_loop(bool* to, T const* x, Y y, index_t n) const {
    detail::close_loops<T>::isclose(
        to, x, y, n, {static_cast<T>(within.rtol), static_cast<T>(within.atol), within.equal_nan});
  }
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x, V y) const noexcept {
    using T = simd::element_of<V>;
    using C = std::conditional_t<std::is_integral_v<T>, double, computed_in<T>>;
    using std::fabs;
    auto const a = simd::convert<C>(widened(x)), b = simd::convert<C>(widened(y));
    using W = std::remove_const_t<decltype(a)>;
    auto const allowed = W(static_cast<C>(within.atol)) + W(static_cast<C>(within.rtol)) * fabs(b);
    auto const close = (fabs(a - b) <= allowed && b - b == W{}) || a == b;
    return within.equal_nan ? close || (a != a && b != b) : close;
  }
  template <class V> requires is_complex<V>
  bool operator()(V x, V y) const noexcept {
    using math = detail::complex_math<V>;
    auto const size = static_cast<double>(math::abs(y));
    auto const apart = static_cast<double>(math::abs(math::subtract(x, y)));
    bool const close = apart <= within.atol + within.rtol * size && size - size == 0;
    bool const both_nan = !math::equal(x, x) && !math::equal(y, y);
    return close || math::equal(x, y) || (within.equal_nan && both_nan);
  }
};
/// `isclose(x, y)`, `isclose(x, 1.f, {.rtol = 1e-3})`.
template <class A, class B> requires operands<A, B>
auto isclose(A&& a, B&& b, tolerance within = {}, site at = site::here())
    -> binary<isclose_op, A, B> {
  return make_binary(isclose_op{within}, at, std::forward<A>(a), std::forward<B>(b));
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/close_loops.ipp>
#endif
