#pragma once

#include <placement/cpu/activation_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/erf.hpp>
#include <placement/math/tanh.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// How gelu computes the distribution function of the normal distribution.
enum class gelu_form {
  erf,   ///< (1 + erf(x / sqrt(2))) / 2
  tanh,  ///< (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, an approximation
};

/// x times the probability that a normally distributed number is below x. 0 for -inf.
/// Shape: unchanged.  Type: floating point; the error is absolute, some roundings of x.
/// Kernels: CPU, GPU (pattern map).
/// Source: Hendrycks, Gimpel: Gaussian Error Linear Units (2016).
template <gelu_form Form> struct gelu_op {
  static constexpr std::string_view name = "Gelu";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 24;
  template <class T>
  static constexpr detail::unary_loop<T> loop =
      Form == gelu_form::erf ? detail::activation_loops<T>::gelu_by_erf
                             : detail::activation_loops<T>::gelu_by_tanh;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v) const noexcept {
    auto const x = widened(v);
    using W = std::remove_const_t<decltype(x)>;
    W const p = probability_below(x);
    return static_cast<V>(simd::select(p == W{}, W{}, x * p));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    using T = typename bare<decltype(x)>::value_type;
    auto const number = [](double v) { return static_cast<T>(v); };
    if constexpr (Form == gelu_form::erf) {
      auto const p = erf(x * number(0x1.6a09e667f3bcdp-1)) * number(0.5) + number(0.5);
      return g * (p + x * exp(square(x) * number(-0.5)) * number(0x1.9884533d43651p-2));
    } else {
      constexpr double root_of_2_by_pi = 0x1.9884533d43651p-1;
      auto const t = tanh((x + x * square(x) * number(0.044715)) * number(root_of_2_by_pi));
      auto const slope =
          square(x) * number(3 * 0.044715 * root_of_2_by_pi) + number(root_of_2_by_pi);
      return g * ((t + 1) * number(0.5) + x * (1 - square(t)) * slope * number(0.5));
    }
  }

 private:
  template <class W>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD static constexpr W probability_below(W x) noexcept {
    using C = simd::element_of<W>;
    constexpr C half = C(0.5), root_of_half = C(0x1.6a09e667f3bcdp-1),
                root_of_2_by_pi = C(0x1.9884533d43651p-1);
    if constexpr (Form == gelu_form::erf) return half + half * math::erf(x * root_of_half);
    else return half + half * math::tanh(root_of_2_by_pi * (x + x * x * x * C(0.044715)));
  }
};
/// `gelu(x)`; `gelu<gelu_form::tanh>(x)`.
template <gelu_form Form = gelu_form::erf, operand X>
auto gelu(X&& x, site at = site::here()) -> unary<gelu_op<Form>, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/activation_loops.ipp>
#endif
