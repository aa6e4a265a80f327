#pragma once

#include <placement/cpu/divide_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/simd_divide.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/update.hpp>

#include <cmath>
#include <concepts>

namespace placement { inline namespace v0_1 {

/// The remainder of x / y, element by element, with the sign of x, as % has in C++: -7 % 3 is -1.
/// An integer % 0 is 0; floating point as std::fmod.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct modulo_op {
  static constexpr std::string_view name = "Mod";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <class T> static constexpr detail::binary_loop<T> loop = detail::remainder_loop;
  template <detail::has_divide_loops T>
  static constexpr detail::binary_loop<T> integer_loop = detail::divide_loops<T>::remainder;
  template <std::floating_point T> static void array_loop(T* to, T const* x, T y, index_t n) {
    detail::remainder_loop(to, x, y, n);
  }
  template <detail::has_divide_loops T> static void array_loop(T* to, T const* x, T y, index_t n) {
    detail::divide_loops<T>::remainder(to, x, y, n);
  }
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    using std::fmod;
    if constexpr (real_number<simd::element_of<V>>)
      return static_cast<V>(fmod(widened(x), widened(y)));
    else return simd::remainder(x, y);
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const& a, auto const& b) {
    if constexpr (I == 0) return g;
    else return g * ((y - a) / b);  // y = a - b * trunc(a / b)
  }
};
template <class A, class B> requires operands<A, B>
auto operator%(A&& a, B&& b) -> binary<modulo_op, A, B> {
  return make_binary(modulo_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto modulo(A&& a, B&& b, site at = site::here()) -> binary<modulo_op, A, B> {
  return make_binary(modulo_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x % y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator%=(X&& x, Y&& y) -> updated<X> {
  return update(x, x % std::forward<Y>(y));
}

}}  // namespace placement::v0_1
