#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// The gradient of sqrt: g / (2 y), where y is its result.
/// Shape: broadcast.  Type: floating point, the same for both.  Kernels: CPU, GPU (pattern map).
struct sqrt_grad_op {
  static constexpr std::string_view name = "SqrtGrad";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V g, V y) const noexcept {
    auto const wide = widened(y);
    return static_cast<V>(widened(g) / (wide + wide));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, [[maybe_unused]] auto const& g, auto const& y) {
    if constexpr (I == 0) return make_binary(sqrt_grad_op{}, {}, h, y);
    else return -(h * g) / (y * y * 2);
  }
};

/// The square root, element by element; NaN for a negative number.
/// Shape: unchanged.  Type: floating point; complex.  Kernels: CPU, GPU (pattern map).
struct sqrt_op {
  static constexpr std::string_view name = "Sqrt";
  using pattern = map;
  static constexpr bool is_same_alone = true;  ///< the bits of a number are those in a pack
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::sqrt(to, x, n);
  }
  template <real_or_pack V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V operator()(V x) const noexcept {
    using std::sqrt;
    return static_cast<V>(sqrt(widened(x)));
  }
  template <class V> requires is_complex<V>
  V operator()(V x) const noexcept {
    return detail::complex_math<V>::sqrt(x);
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return make_binary(sqrt_grad_op{}, {}, g, y);
  }
};
template <operand X> auto sqrt(X&& x, site at = site::here()) -> unary<sqrt_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
