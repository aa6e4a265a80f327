#pragma once

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// |x|, element by element; integers wrap, so the lowest one stays negative.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct abs_op {
  static constexpr std::string_view name = "Abs";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::abs(to, x, n);
  }
  static constexpr bool has_complex_loop = true;
  static constexpr detail::block_form form = detail::block_form::magnitude;
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    using T = simd::element_of<V>;
    using std::fabs;
    if constexpr (real_number<T>) return static_cast<V>(fabs(widened(x)));
    else if constexpr (std::is_signed_v<T>) return simd::select(x < V{}, negative_op{}(x), x);
    else return x;
  }
  /// The distance from 0 of a complex number, as floating point.
  template <class V> requires is_complex<V>
  auto operator()(V x) const noexcept {
    return detail::complex_math<V>::abs(x);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g * sign(x);
  }
};
template <operand X> auto abs(X&& x, site at = site::here()) -> unary<abs_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
