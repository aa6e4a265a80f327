#pragma once

#include <placement/math/half_pi.hpp>
#include <placement/math/polynomial.hpp>
#include <placement/math/root.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// (asin(a) - a) / a^3 in z = a^2, for a up to 1/2. Source: minimax fits; errors of asin 2^-27.6
/// and 2^-58.1.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V asin_tail(V z) noexcept {
  return polynomial_by_twos(z, V(z * z), 0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bbap-5f,
                            0x1.8c3e26p-6f, 0x1.595c96p-5f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V asin_tail(V z) noexcept {
  return polynomial(z, 0x1.5555555555556p-3, 0x1.3333333332d9ep-4, 0x1.6db6db6e48dffp-5,
                    0x1.f1c71c1187edcp-6, 0x1.6e8bb383c0f08p-6, 0x1.1c4d0fc1b660fp-6,
                    0x1.c9d336dfb8159p-7, 0x1.77ff42ab32e5bp-7, 0x1.5336524f2be8cp-7,
                    0x1.5dc12cbea3385p-8, 0x1.224dcb3a7c4a1p-6, -0x1.f6744bcf07f98p-7,
                    0x1.dc690543e52b8p-6);
}

/// asin(s) = s + tail, where s is |x| or, for |x| > 1/2, sqrt((1 - |x|) / 2).
template <class V> struct asin_parts {
  bits_of<V> is_far;  // all ones where |x| > 1/2
  V s, tail;
};
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr asin_parts<V> parts_of_asin(V a) noexcept {
  using T = element_of<V>;
  auto const is_far = above(a, T(0.5));
  V const half = multiply_add(a, V(T(-0.5)), V(T(0.5)));  // exact beyond 1/2
  V const z = select(is_far, half, a * a);
  V const s = select(is_far, root_of_normal(half), a);
  return {is_far, s, s * z * asin_tail(z)};
}
/// NaN where |x| > 1. The roots of packs are NaN there.
template <one_number V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V where_asin_is(V a, V y) noexcept {
  using T = element_of<V>;
  return select(above(a, T(1)), V(static_cast<T>(__builtin_nanf(""))), y);
}

template <class V> requires(!one_number<V>)
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V where_asin_is(V const&, V const& y) noexcept {
  return y;
}

/// The angle whose sine is x, from -pi / 2 to pi / 2; NaN where |x| > 1. Beyond 1/2 it is
/// 1/2 + ((pi / 2 - 1/2 - 2 s) - 2 tail), whose first difference is exact for angles below 1.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V asin(V x) noexcept {
  using T = element_of<V>;
  using right_angle = half_pi<T>;
  V const a = magnitude(x);
  auto const [is_far, s, tail] = parts_of_asin(a);
  V const head = multiply_add(V(-2), s, V(right_angle::high - T(0.5)));
  V const far = T(0.5) + (head + multiply_add(V(-2), tail, V(right_angle::low)));
  return with_sign(where_asin_is(a, select(is_far, far, s + tail)), sign_of(x));
}
/// The angle whose cosine is x, from 0 to pi; NaN where |x| > 1.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V acos(V x) noexcept {
  using right_angle = half_pi<element_of<V>>;
  V const a = magnitude(x);
  auto const [is_far, s, tail] = parts_of_asin(a);
  auto const is_left = negative(x);
  V const signed_s = from_bits<V>(to_bits(s) ^ sign_of(x));
  V const signed_tail = from_bits<V>(to_bits(tail) ^ sign_of(x));
  V const near = right_angle::high - (signed_s + (signed_tail - right_angle::low));
  V const turn = from_bits<V>(to_bits(V(2 * right_angle::high)) & is_left);
  V const more = from_bits<V>(to_bits(V(2 * right_angle::low)) & is_left);
  V const far = turn + (2 * signed_s + (2 * signed_tail + more));
  return where_asin_is(a, select(is_far, far, near));
}

}}}  // namespace placement::v0_1::math
