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
/// Terms two at a time wait less for each other, but their errors count from the fifth on alone.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan_tail(V t) noexcept {
  V const z = t * t;
  V const higher = polynomial_by_twos(
      z, V(z * z), -0x1.745d11aaefc90p-4, 0x1.3b136675e6e5cp-4, -0x1.110e501c94c1ap-4,
      0x1.e1bb9b1faaa2dp-5, -0x1.ae5e444e61a40p-5, 0x1.82da44970d9aap-5, -0x1.59a29503a8a5cp-5,
      0x1.2c2ba2e7dca97p-5, -0x1.e9f1d473a4813p-6, 0x1.683320d9c76cfp-6, -0x1.c77e552147e7ap-7,
      0x1.d7a150a70f2f3p-8, -0x1.7a21e00c4098cp-9, 0x1.b3da4c0aedc9ap-11, -0x1.3f1aefac37c40p-13,
      0x1.bbc2ea6131a83p-17);
  V const q =
      multiply_add(multiply_add(higher, z, V(0x1.c71c717f9452dp-4)), z, V(-0x1.249249237e22ap-3));
  V const p =
      multiply_add(multiply_add(q, z, V(0x1.9999999995547p-3)), z, V(-0x1.5555555555526p-2));
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
