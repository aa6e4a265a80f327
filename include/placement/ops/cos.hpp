#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/cos.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The cosine of numbers that are not math::is_large_angle.
struct near_cos_op {
  static constexpr std::string_view name = "Cos";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return math::near_cos(x);
  }
};

/// The cosine of x in radians, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct cos_op {
  static constexpr std::string_view name = "Cos";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::cos_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::cos(widened(x)));
  }

  using near_op = near_cos_op;
  template <class T> static constexpr bool has_far = std::is_floating_point_v<T>;
  template <class T> PLACEMENT_ALWAYS_INLINE static constexpr auto far(T x) noexcept {
    return math::is_large_angle(x);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return -(g * sin(x));
  }
};
template <operand X> auto cos(X&& x, site at = site::here()) -> unary<cos_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
