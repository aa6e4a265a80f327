#pragma once
/// Floating-point numbers as bits: choice, rounding and scaling without a branch, for float,
/// double, and packs of them (kernels/simd.hpp).
///
/// V is a number or a pack; element_of<V> is float or double. Both sides of a choice are computed
/// and one is taken by a mask. g++ makes a branch of a `?:` on results, as floating-point work may
/// trap, and then no vector loop. SSE2 cannot turn a comparison of doubles into a mask of integers,
/// so the masks of numbers come from the sign of a difference. Packs have functions of their own
/// for some of these, in kernels/simd_math.hpp.

#include <placement/config.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace math {

/// The layout of a type. magic: x + magic - magic is x rounded to a whole number, ties to even, and
/// the low bits of x + magic are that number. once, twice: magic plus the bias of an exponent, once
/// or twice.
template <class V> struct format;
template <> struct format<float> {
  using element = float;
  using bits = std::uint32_t;
  static constexpr int digits = 23, width = 32, bias = 127;
  static constexpr float magic = 0x1.8p23f, once = magic + bias, twice = magic + 2 * bias;
};
template <> struct format<double> {
  using element = double;
  using bits = std::uint64_t;
  static constexpr int digits = 52, width = 64, bias = 1023;
  static constexpr double magic = 0x1.8p52, once = magic + bias, twice = magic + 2 * bias;
};
template <class V> using bits_of = typename format<V>::bits;
template <class V> using element_of = typename format<V>::element;

/// A float or a double, or a pack of them; and each of the two.
template <class V> concept floats = std::is_same_v<element_of<V>, float>;
template <class V> concept doubles = std::is_same_v<element_of<V>, double>;
template <class V> concept one_number = std::is_floating_point_v<V>;

/// x as To, a number. Of packs: kernels/simd_convert.hpp.
template <class To, class T> requires std::is_arithmetic_v<T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr To convert(T x) noexcept {
  return static_cast<To>(x);
}
/// a b + c, fused where the compiler fuses such an expression.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T multiply_add(T a, T b, T c) noexcept {
  return a * b + c;
}

/// Whether fused() is one instruction. Not in constants, where clang computes no fma.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bool is_fused() noexcept {
#if PLACEMENT_HAS_FUSED
  return !__builtin_is_constant_evaluated();
#else
  return false;
#endif
}
/// a b + c, rounded once, also with -ffp-contract=off. Only where is_fused().
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T fused(T a, T b, T c) noexcept {
  if constexpr (floats<T>) return __builtin_fmaf(a, b, c);
  else return __builtin_fma(a, b, c);
}

template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> to_bits(V x) noexcept {
  if constexpr (one_number<V>) return __builtin_bit_cast(bits_of<V>, x);
  else return bit_cast<bits_of<element_of<V>>>(x);
}
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V from_bits(bits_of<V> u) noexcept {
  if constexpr (one_number<V>) return __builtin_bit_cast(V, u);
  else return bit_cast<element_of<V>>(u);
}

/// The sign of x and nothing else; x without it.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> sign_of(V x) noexcept {
  return to_bits(x) & (bits_of<V>{1} << (format<V>::width - 1));
}
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V magnitude(V x) noexcept {
  return from_bits<V>(to_bits(x) & (~bits_of<V>{} >> 1));
}
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V with_sign(V x, bits_of<V> sign) noexcept {
  return from_bits<V>(to_bits(x) | sign);
}

/// All ones where x has its sign bit set, else zero.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<T> negative(T x) noexcept {
  return bits_of<T>{} - (to_bits(x) >> (format<T>::width - 1));
}
/// All ones where the condition holds.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<T> ones_where(bool condition) noexcept {
  return bits_of<T>{} - static_cast<bits_of<T>>(condition);
}
/// All ones where a < b: neither has a sign, and b is not NaN.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<T> below(T a, T b) noexcept {
  return bits_of<T>{} - ((to_bits(a) - to_bits(b)) >> (format<T>::width - 1));
}
/// All ones where a > b, or a is NaN: neither has a sign, and b is not NaN.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<T> above(T a, T b) noexcept {
  return below(b, a);
}
/// a where the mask is all ones, b where it is zero.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T select(bits_of<T> mask, T a, T b) noexcept {
  return from_bits<T>((to_bits(a) & mask) | (to_bits(b) & ~mask));
}

/// x, at least -max and at most max. NaN stays NaN: max - |x| is then a NaN without a sign.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T limited(T x, T max) noexcept {
  T const a = magnitude(x);
  return select(negative(max - a), with_sign(max, sign_of(x)), x);
}
/// x, which has no sign, at most max; NaN stays NaN.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T no_more(T x, T max) noexcept {
  return select(negative(max - x), max, x);
}

/// The smaller of two integers. Functions of their own, as g++ makes a branch of the same written
/// where it is used.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr std::int32_t smaller(std::int32_t a,
                                                                    std::int32_t b) noexcept {
  return a < b ? a : b;
}
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr std::uint32_t smaller(std::uint32_t a,
                                                                     std::uint32_t b) noexcept {
  return a < b ? a : b;
}
/// The smaller of two floats without a sign, b where a is NaN.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr float smaller_positive(float a, float b) noexcept {
  return from_bits<float>(smaller(to_bits(a), to_bits(b)));
}

/// Added to the bits of a NaN of either sign it gives bits below those of all numbers of that sign:
/// a minimum then leaves NaN as it is.
inline constexpr std::uint32_t below_nan = 0x7fffff;
/// x, or `least`, which is negative, where x is below it; NaN stays NaN.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr float no_less(float x, float least) noexcept {
  return from_bits<float>(smaller(to_bits(x) + below_nan, to_bits(least) + below_nan) - below_nan);
}
/// x, at least -max and at most max; NaN stays NaN.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr float within(float x, float max) noexcept {
  auto const moved = static_cast<std::int32_t>(to_bits(x) + below_nan);
  auto const end = static_cast<std::int32_t>(to_bits(max) + below_nan);
  auto const at_most_max = static_cast<std::uint32_t>(smaller(moved, end));
  return from_bits<float>(smaller(at_most_max, to_bits(-max) + below_nan) - below_nan);
}

/// The first half of x's digits; x - upper(x) is the rest. The product of two such halves is exact,
/// with a fused multiply-add and without.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V upper(V x) noexcept {
  return from_bits<V>(to_bits(x) & (~bits_of<V>{} << (format<V>::digits / 2 + 1)));
}

/// Below this size x and x + x^2 / 2 are the same number of the type.
template <class T>
inline constexpr T tiny = from_bits<T>(
    static_cast<bits_of<T>>(format<T>::bias - format<T>::digits - 3) << format<T>::digits);

/// 2 to the power n, given as the bits of n + once: it must be a normal number.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V power_of_two(bits_of<V> biased) noexcept {
  return from_bits<V>(biased << format<V>::digits);
}

/// The halves of n as powers of two, given as the bits of n + twice: x * low * high is x * 2^n with
/// one rounding, also where 2^n is no number of the type.
template <class V> struct two_steps {
  V low, high;
};
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr two_steps<V> powers_of_two(
    bits_of<V> biased) noexcept {
  bits_of<V> const half = biased >> 1;
  return {power_of_two<V>(half), power_of_two<V>(biased - half)};
}

}}}  // namespace placement::v0_1::math
