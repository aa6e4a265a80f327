#pragma once

#include <placement/math/argument_reduction.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// tan(r + rest) of quarter turns more, an odd number of which gives -1 / tan. Of float a
/// polynomial.
/// Source: a minimax fit up to 0.83, 2^-29.4.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V tan_of_angle(reduced_angle<V> const& t) noexcept {
  V const z = t.r * t.r;
  V const tail = polynomial_by_twos(z, V(z * z), 0x1.555556p-2f, 0x1.1110e8p-3f, 0x1.ba1c9ap-5f,
                                    0x1.66dfd2p-6f, 0x1.1891c6p-7f, 0x1.3144cep-8f,
                                    -0x1.883878p-12f, 0x1.05a0a8p-9f);
  V const more = t.r * z * tail, first = t.r + more;
  V const near = t.r + multiply_add(t.rest, V(1 + first * first), more);
  auto const odd = bits_of<V>{} - (t.quadrant & 1);
  return select(odd, V(-1), near) / select(odd, near, V(1));
}
/// The same of double, with fused multiply-add: a quotient of polynomials, and its inverse with
/// what both lose.
/// Source: a minimax fit up to pi / 4, 2^-55.4.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V tan_by_fused(reduced_angle<V> const& t) noexcept {
  V const z = t.r * t.r;
  V const n = polynomial(z, 0x1.5555555555524p-2, -0x1.508578e4d693ap-6, 0x1.a584c202e3f04p-13);
  V const d =
      polynomial(z, 1., -0x1.d8b2a04482d5ap-2, 0x1.7e7f53e677dbdp-6, -0x1.b537b7f4821f7p-13);
  V const lost_square = fused(t.r, t.r, V(-z));
  V const slope = fused(z, V(1.5), V(1));
  V const low = fused(V(0.5 * t.r), lost_square, V(t.rest * slope));
  V const more = fused(V(t.r * z), V(n / d), low);
  V const y = t.r + more, lost = more - (y - t.r), cot = -1 / y;
  V const rest = fused(cot, lost, fused(cot, y, V(1)));
  return select(bits_of<V>{} - (t.quadrant & 1), fused(cot, rest, cot), y);
}
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V tan_by_fused(reduced_angle<V> const& t) noexcept {
  return tan_of_angle(t);
}
/// The quotient of sin and cos, with what both and the quotient lose to rounding.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V tan_of_angle(reduced_angle<V> const& t) noexcept {
  if (is_fused()) return tan_by_fused(t);
  V const of_s = sin_tail_of_rest(t), s = t.r + of_s, lost_of_s = of_s - (s - t.r);
  auto const [head, of_c] = cos_in_two(t);
  V const c = head + of_c, lost_of_c = of_c - (c - head);
  auto const odd = bits_of<V>{} - (t.quadrant & 1);
  V const a = select(odd, -c, s), b = select(odd, s, c);
  V const lost_of_a = select(odd, -lost_of_c, lost_of_s);
  V const lost_of_b = select(odd, lost_of_s, lost_of_c);
  V const inverse = 1 / b, y = a * inverse;
  V const y_high = upper(y), y_low = y - y_high, b_high = upper(b), b_low = b - b_high;
  V const rest = ((a - y_high * b_high) - (y_high * b_low + y_low * b_high)) - y_low * b_low;
  return y + (rest + (lost_of_a - y * lost_of_b)) * inverse;
}

/// The tangent of an x that is not is_large_angle.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_tan(V x) noexcept {
  V const y = tan_of_angle(reduce_small_angle_in_two(magnitude(x)));
  return from_bits<V>(to_bits(y) ^ sign_of(x));
}
/// The same with fused multiply-add.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_tan_by_fused(V x) noexcept {
  V const y = tan_by_fused(reduce_in_two_by_fused(magnitude(x)));
  return from_bits<V>(to_bits(y) ^ sign_of(x));
}

/// The tangent of x in radians, of any size; NaN for infinity. In a pack, lanes with large angles
/// are computed apart, of double one by one.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V tan(V x) noexcept {
  if constexpr (one_number<V>) {
    return select(below(magnitude(x), tiny<element_of<V>>), x,
                  tan_of_angle(reduce_angle_in_two(x)));
  } else if constexpr (floats<V>) {
    return replace_where(near_tan(x), is_large_angle(x), [&]() PLACEMENT_ALWAYS_INLINE {
      return tan_of_angle(reduce_large_angle(x));
    });
  } else {
    return replace_lanes(
        near_tan(x), is_large_angle(x), [](element_of<V> n) noexcept { return tan(n); }, x);
  }
}

}}}  // namespace placement::v0_1::math
