#pragma once
/// The element-wise ops of optimizers. Their constants are double, and are rounded to the type in
/// which the op computes.

#include <placement/ops/packs.hpp>

#include <cmath>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {
/// A constant in the type in which V is computed.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto in_wide(double c) noexcept {
  using number = computed_in<simd::element_of<V>>;
  using W = std::remove_cvref_t<decltype(widened(std::declval<V>()))>;
  return W(static_cast<number>(c));
}
}  // namespace detail

/// w - rate g.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyGradientDescent.
struct gradient_descent_op {
  static constexpr std::string_view name = "ResourceApplyGradientDescent";
  using pattern = map;
  static constexpr bool takes_packs = true;
  double rate;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V w, V g) const noexcept {
    return static_cast<V>(widened(w) - widened(g) * detail::in_wide<V>(rate));
  }
};

/// a momentum + g.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyMomentum.
struct accumulate_momentum_op {
  static constexpr std::string_view name = "ResourceApplyMomentum";
  using pattern = map;
  static constexpr bool takes_packs = true;
  double momentum;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V a, V g) const noexcept {
    return static_cast<V>(widened(a) * detail::in_wide<V>(momentum) + widened(g));
  }
};
/// w - (rate g + rate momentum a), Nesterov's update.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyMomentum with use_nesterov.
struct nesterov_op {
  static constexpr std::string_view name = "ResourceApplyMomentum";
  using pattern = map;
  static constexpr bool takes_packs = true;
  double rate, momentum;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V w, V g, V a) const noexcept {
    auto const r = detail::in_wide<V>(rate);
    return static_cast<V>(widened(w) -
                          (widened(g) * r + widened(a) * detail::in_wide<V>(momentum) * r));
  }
};
/// w - rate a.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct momentum_op : gradient_descent_op {
  static constexpr std::string_view name = "ResourceApplyMomentum";
};

/// m + (g - m) rate: the moving mean of g.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyAdam.
struct first_moment_op {
  static constexpr std::string_view name = "ResourceApplyAdam";
  using pattern = map;
  static constexpr bool takes_packs = true;
  double rate;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V m, V g) const noexcept {
    auto const wide = widened(m);
    return static_cast<V>(wide + (widened(g) - wide) * detail::in_wide<V>(rate));
  }
};
/// v + (g g - v) rate: the moving mean of the square of g.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyAdam.
struct second_moment_op {
  static constexpr std::string_view name = "ResourceApplyAdam";
  using pattern = map;
  static constexpr bool takes_packs = true;
  double rate;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v, V g) const noexcept {
    auto const wide = widened(v);
    auto const by = widened(g);
    return static_cast<V>(wide + (by * by - wide) * detail::in_wide<V>(rate));
  }
};
/// w kept - rate m / (sqrt(v) + epsilon).
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyAdam. `kept`: 1, or below it for decoupled weight decay.
struct adam_op {
  static constexpr std::string_view name = "ResourceApplyAdam";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 8;
  double rate, epsilon, kept;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V operator()(V w, V m, V v) const noexcept {
    using std::sqrt;
    auto const step =
        widened(m) * detail::in_wide<V>(rate) / (sqrt(widened(v)) + detail::in_wide<V>(epsilon));
    return static_cast<V>(widened(w) * detail::in_wide<V>(kept) - step);
  }
};

/// s + (g g - s) rate: the moving mean of the square of g.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyRMSProp.
struct mean_square_op : second_moment_op {
  static constexpr std::string_view name = "ResourceApplyRMSProp";
};
/// a momentum + rate g / sqrt(s + epsilon).
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: TensorFlow's ApplyRMSProp.
struct rmsprop_momentum_op {
  static constexpr std::string_view name = "ResourceApplyRMSProp";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 8;
  double rate, momentum, epsilon;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V operator()(V a, V g, V s) const noexcept {
    using std::sqrt;
    auto const step =
        widened(g) * detail::in_wide<V>(rate) / sqrt(widened(s) + detail::in_wide<V>(epsilon));
    return static_cast<V>(widened(a) * detail::in_wide<V>(momentum) + step);
  }
};
/// w - a.
/// Shape: of all operands.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct rmsprop_op {
  static constexpr std::string_view name = "ResourceApplyRMSProp";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V w, V a) const noexcept {
    return static_cast<V>(widened(w) - widened(a));
  }
};

}}}  // namespace placement::v0_1::nn
