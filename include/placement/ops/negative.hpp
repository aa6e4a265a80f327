#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// -x, element by element; integers wrap, so the lowest one is its own negative.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct negative_op {
  static constexpr std::string_view name = "Neg";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::negative(to, x, n);
  }
  static constexpr bool has_complex_loop = true;
  static constexpr bool is_arithmetic = true;
  template <number_or_complex V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    if constexpr (std::is_integral_v<V>) return static_cast<V>(-as_unsigned(x));
    else if constexpr (is_complex<V>) return detail::complex_math<V>::negative(x);
    else return -x;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&, auto const&) {
    return -g;
  }
};
template <operand X> auto operator-(X&& x) -> unary<negative_op, X> {
  return {{}, {}, std::forward<X>(x)};
}
/// The same under a name, which knows its line.
template <operand X> auto negative(X&& x, site at = site::here()) -> unary<negative_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
