#pragma once
/// Quotients and remainders, of numbers and of packs. Processors divide no vectors of integers.

#include <placement/kernels/simd_math.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

/// x / y without the remainder; 0 where y is 0; the lowest integer / -1 wraps.
template <std::integral T> PLACEMENT_HD constexpr T quotient(T x, T y) noexcept {
  if (y == T{}) return T{};
  if constexpr (std::is_signed_v<T>)
    if (y == T{-1}) return static_cast<T>(T{} - static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(x / y);
}
/// x - quotient(x, y) * y, with the sign of x; 0 where y is 0.
template <std::integral T> PLACEMENT_HD constexpr T remainder(T x, T y) noexcept {
  if (y == T{}) return T{};
  if constexpr (std::is_signed_v<T>)
    if (y == T{-1}) return T{};
  return static_cast<T>(x % y);
}

/// Of packs by a floating-point division, rounded towards 0; elements of 64 bits one by one. Exact:
/// a quotient that is not whole differs from whole numbers by one part in |x| or more. The
/// floating-point type has more digits than x.
template <std::integral T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline basic_pack<T, N, R> quotient(basic_pack<T, N, R> const& x,
                                                            basic_pack<T, N, R> const& y) noexcept {
  using V = basic_pack<T, N, R>;
  if constexpr (sizeof(T) == 8) {
    return by_lanes<T>([](T a, T b) noexcept { return quotient(a, b); }, x, y);
  } else {
    using real = std::conditional_t<sizeof(T) <= 2, float, double>;
    auto const no_divisor = y == V{};
    auto divisor = select(no_divisor, V(T{1}), y), q = V{};
    if constexpr (std::is_signed_v<T>) {
      auto const is_minus_one = y == V(T{-1});
      divisor = select(is_minus_one, V(T{1}), divisor);
      q = convert<T>(convert<real>(x) / convert<real>(divisor));
      q = select(is_minus_one, -x, q);
    } else {
      q = convert<T>(convert<real>(x) / convert<real>(divisor));
    }
    return select(no_divisor, V{}, q);
  }
}
template <std::integral T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline basic_pack<T, N, R> remainder(
    basic_pack<T, N, R> const& x, basic_pack<T, N, R> const& y) noexcept {
  if constexpr (sizeof(T) == 8) {
    return by_lanes<T>([](T a, T b) noexcept { return remainder(a, b); }, x, y);
  } else {
    return select(y == basic_pack<T, N, R>{}, y, x - quotient(x, y) * y);
  }
}

namespace detail {

/// a modulo b, neither with a sign: right where a < 2^24 b, both of ordinary size.
/// The multiple of b is rounded to nearest, so that both differences are exact.
template <math::doubles V>
PLACEMENT_ALWAYS_INLINE inline V near_remainder(V const& a, V const& b) noexcept {
  V const n = nearbyint(a / b), high = math::upper(b);
  V const r = (a - n * high) - n * (b - high);
  return select(r < 0., r + b, r);
}

/// A positive finite number as fraction * 2^exponent, the fraction from 1 to 2.
template <class V> struct fraction_and_exponent {
  V fraction, exponent;
};
template <math::doubles V>
PLACEMENT_ALWAYS_INLINE inline fraction_and_exponent<V> split_exponent(V const& a) noexcept {
  auto const is_denormal = a < V(0x1p-1022);
  auto const bits = math::to_bits(select(is_denormal, a * 0x1p54, a));
  constexpr std::uint64_t fraction = 0xfffffffffffff;
  V const biased = math::from_bits<V>((bits >> 52) | math::to_bits(0x1p52)) - 0x1p52;
  return {math::from_bits<V>((bits & fraction) | math::to_bits(1.)),
          biased - select(is_denormal, V(1023. + 54), V(1023.))};
}
/// a modulo b for all a and b without a sign: b times a power of two is taken from a first. Each
/// step finds 22 digits of the quotient of all lanes; lanes that are done do not change.
template <math::doubles V>
PLACEMENT_ALWAYS_INLINE inline V far_remainder(V const& a, V const& b) noexcept {
  auto const is_finite = (a < V(__builtin_inf())) & (b > V(0.));
  auto const x = split_exponent(a), y = split_exponent(b);
  V r = x.fraction, more = select(is_finite, greater(x.exponent - y.exponent, V(0.)), V(0.));
  do {
    V const digits = lesser(more, V(22.));
    V const power = math::power_of_two<V>(math::to_bits(digits + math::format<double>::once));
    r = near_remainder(r * power, y.fraction);
    more = more - digits;
  } while (any(more > V(0.)));
  auto const [low, high] =
      math::powers_of_two<V>(math::to_bits(y.exponent + math::format<double>::twice));
  return select(a < b, a, select(is_finite, r * low * high, V(__builtin_nan(""))));
}
template <math::doubles V>
PLACEMENT_ALWAYS_INLINE inline V remainder_of_magnitudes(V const& a, V const& b) noexcept {
  auto const is_near = (a < b * 0x1p24) & (a < V(0x1p1000)) & (b < V(0x1p1000));
  V const r = near_remainder(a, b);
  if (any(!is_near)) [[unlikely]]
    return select(is_near, r, far_remainder(a, b));
  return r;
}

}  // namespace detail

/// std::fmod: exact.
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V fmod(V const& x, V const& y) noexcept {
  V const a = math::magnitude(x), b = math::magnitude(y);
  auto const signed_as_x = [&](V const& r) PLACEMENT_ALWAYS_INLINE {
    return math::with_sign(r, math::sign_of(x));
  };
  if constexpr (math::doubles<V>) return signed_as_x(detail::remainder_of_magnitudes(a, b));
  else
    return signed_as_x(
        convert<float>(detail::remainder_of_magnitudes(convert<double>(a), convert<double>(b))));
}

}}}  // namespace placement::v0_1::simd
