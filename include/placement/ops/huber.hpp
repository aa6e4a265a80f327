#pragma once
/// The Huber loss. placement.hpp does not include this header.

#include <placement/error.hpp>
#include <placement/math/bits.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/runtime/escape.hpp>

#include <limits>
#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_huber_delta(double delta) {
  throw invalid_argument("placement: huber with a delta of " + text_of_number(delta) +
                         ". Give a number above 0.");
}
}  // namespace detail

/// d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2); NaN stays NaN.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: Huber: Robust Estimation of a Location Parameter (1964).
struct huber_op {
  static constexpr std::string_view name = "Huber";
  using pattern = map;
  static constexpr bool takes_packs = true;

  double delta;

  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v) const noexcept {
    auto const d = widened(v);
    using W = std::remove_const_t<decltype(d)>;
    using C = computed_in<simd::element_of<V>>;
    W const limit(static_cast<C>(delta)), half(C(0.5)), size = math::magnitude(d);
    return static_cast<V>(simd::select(size > limit, limit * (size - half * limit), half * d * d));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    using T = typename bare<decltype(x)>::value_type;
    return g * clamp(x, static_cast<T>(-delta), static_cast<T>(delta));
  }
};

/// The mean Huber loss of a - b: quadratic up to delta, linear from there on. NaN for no elements.
/// Shape: broadcast -> [].  Type: floating point, the same for both.
/// Kernels: CPU, GPU: one, without temporaries.
/// Throws: invalid_argument unless delta > 0 and finite; shape_error.
template <class A, class B, class K = kernels_here> requires operands<A, B>
auto huber(A&& a, B&& b, double delta = 1, site at = site::here()) {
  if (!(delta > 0 && delta <= std::numeric_limits<double>::max())) detail::throw_huber_delta(delta);
  using difference = decltype(subtract(std::forward<A>(a), std::forward<B>(b), at));
  static_assert(
      real_number<typename difference::value_type>,
      "placement: huber takes floating point. Write huber(cast<float>(a), cast<float>(b)).");
  return mean(expr<huber_op, K, difference>({delta}, at,
                                            subtract(std::forward<A>(a), std::forward<B>(b), at)),
              at);
}

}}  // namespace placement::v0_1
