#pragma once
/// Floating-point numbers as bits. The functions of math/ select, round and scale with them without
/// a branch.
///
/// Both results of a selection are computed, and a mask selects one. `?:` would read better, but
/// g++ compiles it to a branch, because floating-point work may trap. A branch prevents vector
/// loops. SSE2 has no integer mask for a comparison of doubles, so masks come from the sign of a
/// difference.

#include <placement/config.hpp>
#include <placement/version.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace math {

/// The layout of a type. magic: adding and subtracting it rounds to an integer, ties to even. After
/// the addition the low bits hold the integer. once, twice: the same with the exponent bias added
/// to the integer once or twice.
template <class T> struct format;
template <> struct format<float> {
  using bits = std::uint32_t;
  static constexpr int digits = 23, width = 32, bias = 127;
  static constexpr float magic = 0x1.8p23f, once = magic + bias, twice = magic + 2 * bias;
};
template <> struct format<double> {
  using bits = std::uint64_t;
  static constexpr int digits = 52, width = 64, bias = 1023;
  static constexpr double magic = 0x1.8p52, once = magic + bias, twice = magic + 2 * bias;
};
template <class T> using bits_of = typename format<T>::bits;

template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr bits_of<T> to_bits(T x) noexcept {
  return __builtin_bit_cast(bits_of<T>, x);
}
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T from_bits(bits_of<T> u) noexcept {
  return __builtin_bit_cast(T, u);
}

/// The sign of x and nothing else; x without it.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr bits_of<T> sign_of(T x) noexcept {
  return to_bits(x) & (bits_of<T>{1} << (format<T>::width - 1));
}
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T magnitude(T x) noexcept {
  return from_bits<T>(to_bits(x) & (~bits_of<T>{} >> 1));
}
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T with_sign(T x, bits_of<T> sign) noexcept {
  return from_bits<T>(to_bits(x) | sign);
}

/// All ones where x has its sign bit set, else zero.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr bits_of<T> negative(T x) noexcept {
  return bits_of<T>{} - (to_bits(x) >> (format<T>::width - 1));
}
/// All ones where a < b, neither having a sign: NaN is above infinity.
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr bits_of<T> below(T a, T b) noexcept {
  return bits_of<T>{} - ((to_bits(a) - to_bits(b)) >> (format<T>::width - 1));
}
/// a where the mask is all ones, b where it is zero.
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T select(bits_of<T> mask, T a, T b) noexcept {
  return from_bits<T>((to_bits(a) & mask) | (to_bits(b) & ~mask));
}

/// x, or `max` with x's sign where it is further from 0 than that; NaN stays NaN: the sign of the
/// difference, which chooses, is then that of a, which has none.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T limited(T x, T max) noexcept {
  T const a = magnitude(x);
  return select(negative(max - a), with_sign(max, sign_of(x)), x);
}
/// The same for x without a sign.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T no_more(T x, T max) noexcept {
  return select(negative(max - x), max, x);
}

/// The smaller of two whole numbers, with a sign and without. Functions of their own, as g++ makes
/// a branch of the same written where it is used.
[[gnu::always_inline]] PLACEMENT_HD constexpr std::int32_t smaller(std::int32_t a,
                                                                   std::int32_t b) noexcept {
  return a < b ? a : b;
}
[[gnu::always_inline]] PLACEMENT_HD constexpr std::uint32_t smaller(std::uint32_t a,
                                                                    std::uint32_t b) noexcept {
  return a < b ? a : b;
}

/// Added to the bits of floats it moves NaN, of either sign, below the numbers of its sign: what
/// then takes the smaller leaves NaN as it is.
inline constexpr std::uint32_t below_nan = 0x7fffff;
/// x, or `least`, which is negative, where x is below it; NaN stays NaN.
[[gnu::always_inline]] PLACEMENT_HD constexpr float no_less(float x, float least) noexcept {
  return from_bits<float>(smaller(to_bits(x) + below_nan, to_bits(least) + below_nan) - below_nan);
}
/// x within -most to most, and NaN where it is NaN.
[[gnu::always_inline]] PLACEMENT_HD constexpr float within(float x, float max) noexcept {
  auto const moved = static_cast<std::int32_t>(to_bits(x) + below_nan);
  auto const end = static_cast<std::int32_t>(to_bits(max) + below_nan);
  auto const no_more_than_most = static_cast<std::uint32_t>(smaller(moved, end));
  return from_bits<float>(smaller(no_more_than_most, to_bits(-max) + below_nan) - below_nan);
}

/// The first half of x's digits; x - upper(x) is the rest. The product of two such halves is exact,
/// with a fused multiply-add and without.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T upper(T x) noexcept {
  return from_bits<T>(to_bits(x) & (~bits_of<T>{} << (format<T>::digits / 2 + 1)));
}

/// Below this size x and x + x^2 / 2 are the same number of the type.
template <class T>
inline constexpr T tiny = from_bits<T>(
    static_cast<bits_of<T>>(format<T>::bias - format<T>::digits - 3) << format<T>::digits);

/// 2 to the power n, given as the bits of n + once: it must be a normal number.
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T power_of_two(bits_of<T> biased) noexcept {
  return from_bits<T>(biased << format<T>::digits);
}

/// The halves of n as powers of two, given as the bits of n + twice: x * low * high is x * 2^n with
/// one rounding, also where 2^n is no number of the type.
template <class T> struct two_steps {
  T low, high;
};
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr two_steps<T> powers_of_two(
    bits_of<T> biased) noexcept {
  bits_of<T> const half = biased >> 1;
  return {power_of_two<T>(half), power_of_two<T>(biased - half)};
}

}}}  // namespace placement::v0_1::math
