#pragma once

#include <placement/cpu/divide_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/cpu/row_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/simd_divide.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/update.hpp>

#include <concepts>

namespace placement { inline namespace v0_1 {

/// x / y, element by element. Integers drop the remainder; an integer / 0 is 0, and the lowest
/// integer / -1 wraps.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct divide_op {
  static constexpr std::string_view name = "Div";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_row_loops T> requires std::floating_point<T>
  static constexpr detail::row_function row_loop = &detail::row_quotients<T>::divide;
  template <detail::has_divide_loops T>
  static constexpr detail::binary_loop<T> integer_loop = detail::divide_loops<T>::quotient;
  template <detail::has_divide_loops T> static void array_loop(T* to, T const* x, T y, index_t n) {
    detail::divide_loops<T>::quotient(to, x, y, n);
  }
  template <number_or_complex V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    if constexpr (real_number<simd::element_of<V>>) return x / y;
    else if constexpr (is_complex<V>) return detail::complex_math<V>::divide(x, y);
    else return simd::quotient(x, y);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& a, auto const& b) {
    if constexpr (I == 0) return g / b;
    else return -(g * (a / b)) / b;
  }
};
template <class A, class B> requires operands<A, B>
PLACEMENT_ALWAYS_INLINE inline auto operator/(A&& a, B&& b) -> binary<divide_op, A, B> {
  return make_binary(divide_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto divide(A&& a, B&& b, site at = site::here()) -> binary<divide_op, A, B> {
  return make_binary(divide_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x / y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator/=(X&& x, Y&& y) -> updated<X> {
  return update(x, x / std::forward<Y>(y));
}

}}  // namespace placement::v0_1
