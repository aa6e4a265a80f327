#pragma once

#include <placement/math/exp.hpp>
#include <placement/math/log.hpp>
#include <placement/math/pow_by_fused.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// log(x) for positive finite x, to a relative error of about 2^-65.
/// With m = (1 + s) / (1 - s) and z = s^2: log(m) = 2 s (1 + z / 3 + z^2 h(z)). The quotient s, its
/// square, the first two terms and the last product are sums of two numbers. All products whose
/// error matters are of halves, hence exact.
/// Source: the series; h a minimax fit, 2^-69.1 beside the whole.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr in_two<V> log_in_two(V x) noexcept {
  auto const [k, m] = split_at_root(x);
  V const f = m - 1, d = m + 1, inverse = 1 / d;
  V const dh = upper(d), dl = m - (dh - 1), sh = upper(f * inverse);
  V const sl = ((f - sh * dh) - sh * dl) * inverse;
  V const square = sh * sh, cross = 2 * sh * sl + sl * sl, z = square + cross;
  V const zh = upper(square), zl = (square - zh) + cross;
  V const h = polynomial(z, 0x1.999999999999ap-3, 0x1.2492492492302p-3, 0x1.c71c71c74b041p-4,
                         0x1.745d173e465b4p-4, 0x1.3b13a93214567p-4, 0x1.1115727c89ab3p-4,
                         0x1.e01259aa0415cp-5, 0x1.daf04d26475bfp-5);
  constexpr double third = 0x1.5555555555555p-2, third_h = 0x1.555555p-2,
                   third_l = 0x1.5555555555555p-28;
  V const a = zh * third_h;
  V const b = (zh * third_l + zl * third) + z * z * h;
  V const w = a + b, one_w = 1 + w, lost = (w - (one_w - 1)) + (b - (w - a));
  V const uh = upper(one_w), ul = (one_w - uh) + lost;
  V const ph = 2 * (sh * uh), pl = 2 * (sh * ul + sl * one_w);
  V const kh = k * 0x1.62e42fefa38p-1, sum = kh + ph;
  V const rest = (ph - (sum - kh)) + (pl + k * 0x1.ef35793c7673p-45);
  V const high = sum + rest;
  return {high, rest - (high - sum)};
}

/// |x|^y for positive finite |x|; beyond `max` the exponent's exponential is 0 or infinite anyway.
/// at_end: all ones where |x| is 0 or infinite; grows: |x| > 1.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V power_of_magnitude(V a, V y,
                                                                    bits_of<V> at_end) noexcept {
  constexpr double max = 800, large = 0x1p66;
  auto const [lh, ll] = log_in_two(a);
  V const e = limited(y, large), eh = upper(e), el = e - eh;
  V const log_h = upper(lh), log_l = (lh - log_h) + ll;
  V const high = eh * log_h, low = e * log_l + el * log_h;
  // where |x| is an end of the type, infinitely far from 1
  auto const falls = sign_of(y) ^ (sign_of(-0.) & below(a, 1.));
  auto const too_far = at_end | above(magnitude(high), max);
  V const far = with_sign(V(max), (at_end & falls) | (~at_end & sign_of(high)));
  V const h = select(too_far, far, high), l = select(too_far, V(0.), low);
  constexpr double shift = format<double>::twice;
  V const k = multiply_add(h, V(0x1.71547652b82fep+0), V(shift)), n = k - shift;
  V const whole = h - n * 0x1.62e42feep-1, rest = l - n * 0x1.a39ef35793c76p-33;
  V const r = whole + rest, of_r = rest - (r - whole);
  auto const [down, up] = powers_of_two<V>(to_bits(k));
  return (1 + (r + (r * r * exp_tail(r) + of_r))) * down * up;
}

/// Powers of 2 above this one are infinite as floats, and those below its negative 0.
inline constexpr double max_exponent_of_float = 200;
/// log2(2^k m), 2^-38.5 beside it. Source: a minimax fit.
template <doubles D>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr D log2_in_double(D k, D m) noexcept {
  D const f = m - 1;
  return k + f * polynomial(f, 0x1.71547652b58f6p0, -0x1.71547651b708dp-1, 0x1.ec709de33c84bp-2,
                            -0x1.71547888397d4p-2, 0x1.2776b6cd0083fp-2, -0x1.ec6f2e0202c8dp-3,
                            0x1.a61b7dcc9977fp-3, -0x1.7188d30149969p-3, 0x1.481fad153f5c3p-3,
                            -0x1.23d650bee3e1fp-3, 0x1.0acdeeae5f759p-3, -0x1.13b88e7191a35p-3,
                            0x1.0f628525b0349p-3, -0x1.1da6d8a486bacp-4);
}
/// 2^e as float. Source: a minimax fit, 2^-28.8.
template <doubles D>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto exp2_in_double(D e) noexcept {
  constexpr double shift = format<double>::once;
  D const n = e + shift, r = e - (n - shift);
  D const p = polynomial(r, 1., 0x1.62e430c7b13aep-1, 0x1.ebfbdd2f82e9p-3, 0x1.c6aed4f18616ap-5,
                         0x1.3b2c96c9b4bbp-7, 0x1.5f4553ffbeb6p-10, 0x1.4278e5f3a809ap-13);
  return convert<float>(p * power_of_two<D>(to_bits(n)));
}

/// The same of floats in double: log2, the product, exp2.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V power_of_magnitude(V a, V y,
                                                                    bits_of<V> at_end) noexcept {
  constexpr double max = max_exponent_of_float, large = 0x1p40;
  auto const [k, m] = split_at_root(convert<double>(select(at_end, V(1.f), a)));
  using D = std::remove_const_t<decltype(k)>;  // doubles
  D const log2 = log2_in_double(k, m);
  // where |x| is an end of the type, the exponent of the other type's end
  auto const falls = sign_of(y) ^ (sign_of(-0.f) & below(a, 1.f));
  D const at_ends =
      convert<double>(from_bits<V>(at_end & (falls | to_bits(static_cast<float>(max)))));
  return exp2_in_double(
      limited(multiply_add(limited(convert<double>(y), large), log2, at_ends), max));
}
/// x^y for positive normal x and finite y.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_pow(V x, V y) noexcept {
  auto const [k, m] = split_normal_at_root(x, V(0));
  auto const log2 = log2_in_double(convert<double>(k), convert<double>(m));
  return exp2_in_double(limited(convert<double>(y) * log2, max_exponent_of_float));
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_pow(V x, V y) noexcept {
  return power_of_magnitude(x, y, bits_of<V>{});
}

/// All ones where the bits are zero.
template <class U> requires std::is_unsigned_v<U>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr U none_of(U bits) noexcept {
  return U{} - ((~bits & (bits - 1)) >> (sizeof(U) * 8 - 1));
}

/// All ones where |y| is a whole number, infinity included.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> is_whole(V a) noexcept {
  using T = element_of<V>;
  constexpr T from_here = format<T>::digits == 23 ? T(0x1p23f) : T(0x1p52);
  return none_of(to_bits(V((a + from_here) - from_here)) ^ to_bits(a)) | ~below(a, from_here);
}

/// All ones where x is no positive normal number, or y no finite one.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> is_far_from_pow(V x, V y) noexcept {
  using T = element_of<V>;
  constexpr T inf = static_cast<T>(__builtin_inff());
  constexpr T least = from_bits<T>(bits_of<T>{1} << format<T>::digits);
  return negative(x) | below(magnitude(x), V(least)) | ~below(magnitude(x), V(inf)) |
         ~below(magnitude(y), V(inf));
}
/// |x|^y by power_of_magnitude; by near_pow_by_fused where that has it.
struct usual_power {
  template <class V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V a, V y,
                                                              bits_of<V> at_end) const noexcept {
    return power_of_magnitude(a, y, at_end);
  }
};
struct power_by_fused {
  template <class V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V a, V y,
                                                              bits_of<V> at_end) const noexcept {
    auto const near = near_pow_by_fused(a, y);
    return select(negative(from_bits<V>(near.is_far)), power_of_magnitude(a, y, at_end),
                  near.value);
  }
};

/// x to the power y, with the special cases of the C standard (F.10.4.4). It is 1 where x is 1 or y
/// is 0, also beside NaN; NaN where x < 0 and y is no whole number. Where y is odd it has x's sign.
template <class V, class Power = usual_power>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V pow_of_any(V x, V y, Power power = {}) noexcept {
  using T = element_of<V>;
  constexpr T inf = static_cast<T>(__builtin_inff()), none = static_cast<T>(__builtin_nanf(""));
  V const a = magnitude(x), b = magnitude(y);
  auto const zero = none_of(to_bits(a)), at_end = zero | ~below(a, inf);
  auto const whole = is_whole(b), odd = whole & ~is_whole(V(T(0.5) * b));
  auto const is_nan = above(a, inf) | above(b, inf) | (negative(x) & ~at_end & ~whole);
  auto const is_one = none_of(to_bits(b)) | none_of(to_bits(x) ^ to_bits(T(1)));
  V const y_or_none = power(a, y, at_end);
  return select(is_one, V(1), select(is_nan, V(none), with_sign(y_or_none, sign_of(x) & odd)));
}

/// The same. A pack tests once for other than positive normal x and finite y, and with fused
/// multiply-add for results that are no normal numbers.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V pow(V x, V y) noexcept {
  if constexpr (one_number<V>) return pow_of_any(x, y);
  else if constexpr (PLACEMENT_HAS_FUSED) {
    auto const near = near_pow_by_fused(x, y);
    return replace_where(
        near.value, negative(from_bits<V>(near.is_far)),
        [&]() PLACEMENT_ALWAYS_INLINE { return pow_of_any(x, y, power_by_fused{}); });
  } else {
    return replace_where(near_pow(x, y), is_far_from_pow(x, y),
                         [&]() PLACEMENT_ALWAYS_INLINE { return pow_of_any(x, y); });
  }
}

}}}  // namespace placement::v0_1::math
