#pragma once

#include <placement/math/root.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// Where x^2 + y^2 lies between these, no square that counts overflows or is denormal.
template <class T> inline constexpr T least_square = T(0x1p-900);
template <class T> inline constexpr T most_square = T(0x1p1000);
template <> inline constexpr float least_square<float> = 0x1p-100f;
template <> inline constexpr float most_square<float> = 0x1p120f;

/// sqrt(x^2 + y^2) of numbers of any size: a power of two scales both. Infinite beside an infinity,
/// also for NaN.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V hypot_of_any(V x, V y) noexcept {
  using T = element_of<V>;
  constexpr bool is_float = format<V>::digits == 23;
  constexpr T inf = static_cast<T>(__builtin_inff());
  constexpr T large = is_float ? T(0x1p60f) : T(0x1p500),
              small = is_float ? T(0x1p-40f) : T(0x1p-450);
  constexpr T down = is_float ? T(0x1p-70f) : T(0x1p-600), up = is_float ? T(0x1p100f) : T(0x1p600);
  V const a = magnitude(x), b = magnitude(y);
  auto const is_larger = above(b, a);
  V const most = select(is_larger, b, a);
  auto const is_large = above(most, large), is_small = below(most, small);
  V const scale = select(is_large, V(down), select(is_small, V(up), V(1)));
  V const back = select(is_large, V(1 / down), select(is_small, V(1 / up), V(1)));
  V const m = most * scale, n = select(is_larger, a, b) * scale;
  V const root = root_of_normal(V(m * m + n * n)) * back;
  auto const is_inf = ~(below(a, inf) | above(a, inf)) | ~(below(b, inf) | above(b, inf));
  return select(is_inf, V(inf), root);
}
/// All ones where a square may overflow or be denormal.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> is_far_from_hypot(V x, V y) noexcept {
  using T = element_of<V>;
  V const square = x * x + y * y;
  return ~below(square, most_square<T>) | below(square, least_square<T>);
}
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_hypot(V x, V y) noexcept {
  return root_of_normal(V(x * x + y * y));
}
/// The same of any numbers. A pack tests once for very large and very small ones.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V hypot(V x, V y) noexcept {
  if constexpr (one_number<V>) return hypot_of_any(x, y);
  else
    return replace_where(near_hypot(x, y), is_far_from_hypot(x, y),
                         [&]() PLACEMENT_ALWAYS_INLINE { return hypot_of_any(x, y); });
}

}}}  // namespace placement::v0_1::math
