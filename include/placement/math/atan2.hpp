#pragma once

#include <placement/math/atan.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// The angle of (x, y) in the plane, with the special cases of the C standard (F.10.1.4).
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan2(V y, V x) noexcept {
  using T = element_of<V>;
  constexpr bool is_float = format<T>::digits == 23;
  constexpr T inf = static_cast<T>(__builtin_inff());
  constexpr T least = is_float ? T(0x1p-149f) : T(0x1p-1074);
  constexpr T pi = is_float ? T(0x1.921fb6p+1f) : T(0x1.921fb54442d18p+1);
  constexpr T pi_low = is_float ? T(-0x1.777a5cp-24f) : T(0x1.1a62633145c07p-53);
  V const a = magnitude(x), b = magnitude(y);
  auto const is_steep = below(a, b), is_left = negative(x);
  V const n = select(is_steep, a, b), m = select(is_steep, b, a);
  auto const is_zero = below(m, V(least));
  auto const is_diagonal = ~(below(n, V(inf)) | above(n, V(inf)) | above(m, V(inf)));
  V const of_first =
      near_atan(V(select(is_diagonal, V(1), n) / select(is_zero | is_diagonal, V(1), m)));
  // pi or pi / 2, plus or minus the angle
  auto const far = is_steep | is_left;
  V const high = from_bits<V>(to_bits(select(is_steep, V(pi / 2), V(pi))) & far);
  V const low = from_bits<V>(to_bits(select(is_steep, V(pi_low / 2), V(pi_low))) & far);
  V const angle = from_bits<V>(to_bits(of_first) ^ (sign_of(V(T(-0.))) & (is_steep ^ is_left)));
  return with_sign(V(high + (angle + low)), sign_of(y));
}

}}}  // namespace placement::v0_1::math
