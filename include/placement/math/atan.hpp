#pragma once

#include <placement/math/half_pi.hpp>
#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// atan(t) - t for t from 0 to 1. Source: minimax fits, 2^-28.5 and 2^-57.6.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan_tail(V t) noexcept {
  V const z = t * t;
  V const p = polynomial_by_twos(z, V(z * z), -0x1.55553ep-2f, 0x1.9991fep-3f, -0x1.2421b8p-3f,
                                 0x1.c09a1p-4f, -0x1.5834bep-4f, 0x1.daca6ep-5f, -0x1.fed25ap-6f,
                                 0x1.65a75p-7f, -0x1.d63182p-10f);
  return t * z * p;
}
/// A polynomial in 1 - t^2, whose terms are small where the tail is large: their errors do not
/// count.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan_tail(V t) noexcept {
  V const z = t * t, w = 1 - z;
  V const q = polynomial_by_twos(
      w, V(w * w), -0x1.268380ccde3c0p-4, -0x1.c09184003759cp-6, -0x1.6bfe340eb5e6ep-7,
      -0x1.32fbf1c66b4c2p-8, -0x1.09c45c9d066dep-9, -0x1.d4e5bf633db68p-11, -0x1.a540188cd5c74p-12,
      -0x1.6ab0ad79f7b64p-13, -0x1.f9cf618fe3e12p-14, 0x1.82dcf0742f932p-14, -0x1.7c6ef79ae87d6p-12,
      0x1.6cec9a304f942p-11, -0x1.22f9b6016e980p-10, 0x1.5b3af240b5139p-10, -0x1.39303eac42c83p-10,
      0x1.9a0461b506ce1p-11, -0x1.731bbf7f470a0p-12, 0x1.9fb90d4e66677p-14, -0x1.bbc2ea6131a83p-17);
  V const p = multiply_add(q, w, V(-0x1.b7812aeef4ba0p-3));
  return t * z * p;
}

template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_atan(V t) noexcept {
  return t + atan_tail(t);
}

/// p - q t, exact for t = p / q. Source: Dekker: A floating-point technique for extending the
/// available precision (1971).
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rest_of_quotient(V p, V q, V t) noexcept {
  if (is_fused()) return fused(V(-t), q, p);
  V const t_high = upper(t), t_low = t - t_high, q_high = upper(q), q_low = q - q_high;
  return ((p - t_high * q_high) - (t_high * q_low + t_low * q_high)) - t_low * q_low;
}

/// The angle whose tangent is x, from -pi / 2 to pi / 2: atan(t) or pi / 2 - atan(t), whose tail is
/// added last. Of double with what 1 / x loses, times 0.6 for 1 / (1 + t^2).
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan(V x) noexcept {
  using T = element_of<V>;
  using right_angle = half_pi<T>;
  V const a = magnitude(x);
  auto const is_steep = above(a, T(1));
  V const p = select(is_steep, V(1), a);
  V q = select(is_steep, a, V(1));
  if constexpr (doubles<V>)
    q = no_more(q, V(0x1p100));  // infinity has no rest; pi / 2 from there on
  V const t = p / q;
  V tail = atan_tail(t);
  if constexpr (doubles<V>) tail = tail + rest_of_quotient(p, q, t) * (t * T(0.6));
  V const head = right_angle::high - t, lost = (right_angle::high - head) - t;
  V const far = head + (lost + (right_angle::low - tail));
  return with_sign(select(is_steep, far, t + tail), sign_of(x));
}

}}}  // namespace placement::v0_1::math
