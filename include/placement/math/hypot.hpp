#pragma once

#include <placement/math/root.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// sqrt(x^2 + y^2), infinite beside an infinity, also for NaN. Double holds the squares of floats.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V hypot(V x, V y) noexcept {
  using T = element_of<V>;
  auto const a = convert<double>(x), b = convert<double>(y);
  auto const square = a * a + b * b;
  V const root = convert<float>(root_of_normal(square));
  constexpr T inf = static_cast<T>(__builtin_inff());
  auto const is_inf = ~(below(magnitude(x), inf) | above(magnitude(x), inf)) |
                      ~(below(magnitude(y), inf) | above(magnitude(y), inf));
  return select(is_inf, V(inf), root);
}
/// The same of double: a power of two scales both where a square would be infinite or denormal.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V hypot(V x, V y) noexcept {
  using T = element_of<V>;
  constexpr T inf = static_cast<T>(__builtin_inff());
  V const a = magnitude(x), b = magnitude(y);
  auto const is_larger = above(b, a);
  V const most = select(is_larger, b, a);
  auto const is_large = above(most, 0x1p500), is_small = below(most, 0x1p-450);
  V const scale = select(is_large, V(0x1p-600), select(is_small, V(0x1p600), V(1)));
  V const back = select(is_large, V(0x1p600), select(is_small, V(0x1p-600), V(1)));
  V const m = most * scale, n = select(is_larger, a, b) * scale;
  V const root = root_of_normal(V(m * m + n * n)) * back;
  auto const is_inf = ~(below(a, inf) | above(a, inf)) | ~(below(b, inf) | above(b, inf));
  return select(is_inf, V(inf), root);
}

}}}  // namespace placement::v0_1::math
