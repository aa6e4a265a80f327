#pragma once
/// Random words as numbers of a distribution: of 32 bits as floats, of 64 bits as doubles. V is a
/// number or a pack. The results have the same bits on every device.

#include <placement/math/argument_reduction.hpp>
#include <placement/math/log.hpp>
#include <placement/math/unfused.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 { namespace math {

template <class T>
using signed_bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The word without its lowest bits, as a number.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline V without_low_bits(bits_of<V> word, int low) noexcept {
  using T = element_of<V>;
  return convert<T>(convert<signed_bits<T>>(word >> low));
}
/// As many of the word's upper bits as V has digits, 24 or 53: a whole number below 2^24 or 2^53.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline V upper_digits(bits_of<V> word) noexcept {
  return without_low_bits<V>(word, format<V>::width - format<V>::digits - 1);
}

/// Equally likely in [0, 1).
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline V unit_value(bits_of<V> word) noexcept {
  using T = element_of<V>;
  constexpr T last = floats<V> ? T(0x1p-24) : T(0x1p-53);
  return upper_digits<V>(word) * last;
}

/// log(x) of a normal number x.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline unfused<V> unfused_log(V x) noexcept {
  using T = element_of<V>;
  using X = unfused<V>;
  auto const [k, m] = split_normal_at_root(x, V(T(0)));
  return log_of_parts(X(k), X(m) - X(T(1)), X(T(0)));
}

/// sqrt(-2 log(u)) for a u equally likely in (0, 1]: at most 6.7 of float, 8.7 of double.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline V normal_radius(bits_of<V> word) noexcept {
  using T = element_of<V>;
  constexpr T last = floats<V> ? T(0x1p-31) : T(0x1p-53);
  V const u = (without_low_bits<V>(word, floats<V> ? 1 : 11) + V(T(0.5))) * last;
  using std::sqrt;
  return sqrt((unfused<V>(T(-2)) * unfused_log(u)).value);
}

template <class V> struct sine_and_cosine {
  V sine, cosine;
};
/// Of an angle equally likely in a whole turn, of which the word is a fraction.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline sine_and_cosine<V> sine_and_cosine_of_turn(
    bits_of<V> word) noexcept {
  using T = element_of<V>;
  using U = bits_of<T>;
  using X = unfused<V>;
  constexpr int width = format<V>::width;
  constexpr T unit = T(0x1.921fb54442d18p+2) * (floats<V> ? T(0x1p-32) : T(0x1p-64));
  auto const quadrant = (word + (U{1} << (width - 3))) >> (width - 2);
  auto const rest = without_low_bits<V>(word - (quadrant << (width - 2)), 0);
  reduced_angle<X> const angle{quadrant, X(rest) * X(unit), X(T(0))};
  V const sine = sin_of_rest(angle).value, cosine = cos_of_rest(angle).value;
  auto const is_odd = bits_of<V>{} - (quadrant & 1);
  auto const negated = [](V y, bits_of<V> where) PLACEMENT_ALWAYS_INLINE {
    return from_bits<V>(to_bits(y) ^ (where & 2) << (width - 2));
  };
  return {negated(select(is_odd, cosine, sine), quadrant),
          negated(select(is_odd, sine, cosine), quadrant + U{1})};
}

/// A word that turns the angle of another back by a quarter, where `is_odd` is 1 and not 0: the
/// cosine is then the sine of the other, to the last bit.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline bits_of<V> quarter_turn(bits_of<V> is_odd) noexcept {
  return is_odd << (format<V>::width - 2);
}

/// sqrt(2) erfinv(x) / x, by v = -log(1 - x^2) - 1.25, for x^2 up to erf(sqrt(2))^2. Source: Giles:
/// Approximating the erfinv function (2012), for the variable; fits to 2^-27.6 and 2^-56.6.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline unfused<V> normal_quantile_ratio(
    unfused<V> v) noexcept {
  return polynomial(v, 0x1.aeaad4p+0f, 0x1.6957d2p-2f, 0x1.d197a8p-9f, -0x1.a1c748p-9f,
                    0x1.a8ee28p-13f, 0x1.729e54p-15f, -0x1.bd59cp-18f, -0x1.0c0216p-21f);
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline unfused<V> normal_quantile_ratio(
    unfused<V> v) noexcept {
  return polynomial(
      v, 0x1.aeaad3c10ba6bp+0, 0x1.6957d0994ea7ep-2, 0x1.d193551374a33p-9, -0x1.a1c4db20a9bdcp-9,
      0x1.a9dd3e6cf0809p-13, 0x1.719c798e4bb69p-15, -0x1.ded256297ea06p-18, -0x1.daae932bef3b0p-22,
      0x1.836de6d753b78p-23, -0x1.e37dcd732f2f9p-30, -0x1.0874d9e72bc2bp-28, 0x1.2dfe2452eeb28p-32,
      0x1.3013a9fb0a65dp-34, -0x1.690e2df6c127fp-37, -0x1.ffb7127a79f03p-41, 0x1.1920dbf37976fp-42);
}
/// Normally distributed between -2 and 2: the quantile of a probability equally likely between
/// those of -2 and 2.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline V truncated_normal_value(bits_of<V> word) noexcept {
  using T = element_of<V>;
  using X = unfused<V>;
  constexpr T half = floats<V> ? T(0x1p23) : T(0x1p52), last = 1 / half;
  V const s = (upper_digits<V>(word) - half + T(0.5)) * last;  // in (-1, 1)
  X const x = X(s) * X(T(0x1.e8b4307d3627ap-1));               // erf(sqrt(2))
  X const v = X(T(-1.25)) - unfused_log(((X(T(1)) - x) * (X(T(1)) + x)).value);
  return limited((x * normal_quantile_ratio<V>(v)).value, T(2));
}

}}}  // namespace placement::v0_1::math
