#pragma once
/// Arithmetic on single values as PTX defines it, where C++ differs. Source: PTX ISA, chapter 9.

#include "types.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ptx {

// ---- floats of 16 bits

inline float to_float(half h) {
  u32 const sign = static_cast<u32>(h.bits & 0x8000) << 16, exponent = h.bits >> 10 & 31;
  u32 const fraction = h.bits & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  float const x = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -x : x;
}
inline float to_float(brain b) { return std::bit_cast<float>(static_cast<u32>(b.bits) << 16); }

/// The nearest number with `digits` binary digits and exponents of at least `least`, ties to even.
/// Numbers above `most` become infinite. NaN is kept.
inline double rounded_to(double x, int digits, int least, double most) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  static_cast<void>(std::frexp(x, &exponent));
  int const unit = std::max(exponent - digits, least);
  double const y = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::fabs(y) > most ? std::copysign(std::numeric_limits<double>::infinity(), x) : y;
}
template <class H> H narrow(double x);
/// Exact from float and from double. NaN becomes the canonical 0x7fff.
template <> inline half narrow<half>(double x) {
  if (x != x) return {0x7fff};
  u16 const sign = std::signbit(x) ? 0x8000 : 0;
  double const y = std::fabs(rounded_to(x, 11, -24, 65504));
  if (std::isinf(y)) return {static_cast<u16>(sign | 0x7c00)};
  if (y < 0x1p-14) return {static_cast<u16>(sign | static_cast<u16>(y * 0x1p24))};
  int exponent = 0;
  auto const fraction = static_cast<u16>(std::ldexp(std::frexp(y, &exponent), 11));
  return {static_cast<u16>(sign | ((exponent + 14) << 10) | (fraction & 1023))};
}
template <> inline brain narrow<brain>(double x) {
  if (x != x) return {0x7fff};
  auto const y = static_cast<float>(
      rounded_to(x, 8, -133, static_cast<double>(std::bit_cast<float>(0x7f7f0000u))));
  return {static_cast<u16>(std::bit_cast<u32>(y) >> 16)};
}

/// The nearest number towards zero.
template <class H> H narrow_to_zero(double x) {
  H y = narrow<H>(x);
  if (std::fabs(static_cast<double>(to_float(y))) > std::fabs(x)) --y.bits;
  return y;
}

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, half> || std::is_same_v<T, brain>;

/// a + b in double, rounded to odd. Rounding the result again to 16 bits is then exact.
inline double sum_to_odd(double a, double b) {
  double const s = a + b;
  if (!std::isfinite(s)) return s;
  double const t = s - a, error = (a - (s - t)) + (b - t);
  if (error == 0 || (std::bit_cast<u64>(s) & 1) != 0) return s;
  return std::nextafter(s, error > 0 ? std::numeric_limits<double>::infinity()
                                     : -std::numeric_limits<double>::infinity());
}

/// A number in double, integers of 64 bits in the same way.
template <class S> double to_odd(S x) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
    S const low = x & S{0xffffffff};
    return sum_to_odd(static_cast<double>(x - low), static_cast<double>(low));
  } else {
    return static_cast<double>(x);
  }
}

// ---- floats

/// Subnormal numbers become zeros of their sign: `.ftz`.
template <class T> T flushed(T x) {
  if constexpr (is_small_float<T>) {
    int const exponent = std::is_same_v<T, half> ? 0x7c00 : 0x7f80;
    return (x.bits & exponent) == 0 ? T{static_cast<u16>(x.bits & 0x8000)} : x;
  } else {
    return std::fabs(x) < std::numeric_limits<T>::min() ? std::copysign(T{0}, x) : x;
  }
}
/// To [0, 1], NaN to 0: `.sat`.
template <class T> T saturated(T x) {
  if constexpr (is_small_float<T>)
    return to_float(x) > 0 ? narrow<T>(std::min(to_float(x), 1.0f)) : T{0};
  else return x > T{0} ? std::min(x, T{1}) : T{0};
}

/// `min` and `max`: the other operand if one is NaN, and -0 below +0. `.NaN`: NaN if one is NaN.
template <class T> T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}
template <class T> T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <class T> T smaller_or_nan(T a, T b) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : smaller(a, b);
}
template <class T> T larger_or_nan(T a, T b) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : larger(a, b);
}

/// The rounding modes of PTX: of integers (`.rni`, `.rzi`, ...), then of floats.
enum class rounding : u8 { none, rni, rzi, rmi, rpi, rn, rz, rm, rp };

/// f() in a rounding mode other than to nearest. Its operands must be volatile.
template <class F> auto in_mode(rounding mode, F const& f) {
  std::fesetround(mode == rounding::rz   ? FE_TOWARDZERO
                  : mode == rounding::rm ? FE_DOWNWARD
                                         : FE_UPWARD);
  auto const volatile result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

// ---- integers

template <class T> using unsigned_of = std::make_unsigned_t<T>;

template <class T> T wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
}
template <class T> T wrapped_difference(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) - static_cast<u64>(b));
}
template <class T> T wrapped_product(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T> T high_of_product(T a, T b) {
  using wide = std::conditional_t<std::is_signed_v<T>, s128, u128>;
  return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b) >> (8 * sizeof(T)));
}
/// Division by zero gives all ones, as NVIDIA's GPUs do; PTX leaves it open.
template <class T> T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return wrapped_difference(T{0}, a);
  return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return T{0};
  return static_cast<T>(a % b);
}
/// `add.sat.s32` and `sub.sat.s32`.
inline s32 clamped(s64 x) {
  return static_cast<s32>(
      std::clamp<s64>(x, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
}
/// `shl`, `shr`: amounts beyond the width give 0, or copies of the sign.
template <class T> T shifted_left(T x, u32 by) {
  return by >= sizeof(T) * 8 ? T{0} : static_cast<T>(static_cast<u64>(x) << by);
}
template <class T> T shifted_right(T x, u32 by) {
  if (by >= sizeof(T) * 8) return static_cast<T>(x < T{0} ? -1 : 0);
  return static_cast<T>(x >> by);
}
/// `shf`: 32 bits of the 64 bits high:low, with amounts of at most 31 (wrap) or 32 (clamp).
inline u32 funnel_left(u32 low, u32 high, u32 by) {
  u64 const both = u64{high} << 32 | low;
  return by >= 32 ? low : static_cast<u32>(both << by >> 32);
}
inline u32 funnel_right(u32 low, u32 high, u32 by) {
  u64 const both = u64{high} << 32 | low;
  return static_cast<u32>(both >> by);
}
/// `prmt`: 4 bytes of b:a by the four selectors; bit 3 of a selector copies the sign.
inline u32 permuted(u32 a, u32 b, u32 selectors) {
  u64 const both = u64{b} << 32 | a;
  u32 x = 0;
  for (int i = 0; i != 4; ++i) {
    u32 const s = selectors >> (4 * i) & 15;
    auto byte = static_cast<u32>(both >> (8 * (s & 7)) & 255);
    if ((s & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    x |= byte << (8 * i);
  }
  return x;
}
/// `lop3`: bit i of the table is the result for the three bits of i.
inline u32 logic_of_three(u32 a, u32 b, u32 c, u32 table) {
  u32 x = 0;
  for (u32 i = 0; i != 8; ++i)
    if ((table >> i & 1) != 0)
      x |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return x;
}
/// `bfi`: b with `length` bits of a from bit `first` on.
template <class T> T bits_inserted(T a, T b, u32 first, u32 length) {
  first &= 255, length &= 255;
  if (first >= sizeof(T) * 8) return b;
  u64 const ones = length >= 64 ? ~u64{0} : (u64{1} << length) - 1;
  return static_cast<T>((static_cast<u64>(b) & ~(ones << first)) |
                        (static_cast<u64>(a) << first & ones << first));
}
/// `bfe`: `length` bits of a from bit `first` on; signed types copy the sign.
template <class T> T bits_extracted(T a, u32 first, u32 length) {
  first &= 255, length &= 255;
  constexpr u32 width = sizeof(T) * 8;
  if (length == 0) return 0;
  bool const sign =
      std::is_signed_v<T> && (static_cast<u64>(a) >> std::min(first + length - 1, width - 1) & 1);
  u64 const value = first >= width ? 0 : static_cast<u64>(static_cast<unsigned_of<T>>(a)) >> first;
  u32 const kept = first >= width ? 0 : std::min(length, width - first);
  u64 const ones = kept >= 64 ? ~u64{0} : (u64{1} << kept) - 1;
  return static_cast<T>((value & ones) | (sign ? ~ones : 0));
}
/// `bfind`: the number of the highest bit that differs from the sign; all ones if there is none.
template <class T> u32 highest_bit(T x) {
  auto const bits = static_cast<unsigned_of<T>>(x < T{0} ? ~x : x);
  return bits == 0 ? ~u32{0} : static_cast<u32>(std::bit_width(bits) - 1);
}
/// `bfind.shiftamt`: by how much that bit is shifted to the top.
template <class T> u32 shift_of_highest_bit(T x) {
  u32 const n = highest_bit(x);
  return n == ~u32{0} ? n : static_cast<u32>(sizeof(T) * 8 - 1) - n;
}
/// `brev`
template <class T> T bits_reversed(T x) {
  T r = 0;
  for (u32 i = 0; i != sizeof(T) * 8; ++i) r = static_cast<T>(r << 1 | (x >> i & 1));
  return r;
}

// ---- conversions

template <class F> F rounded_to_integer(F x, rounding mode) {
  switch (mode) {
    case rounding::rni: return std::nearbyint(x);
    case rounding::rmi: return std::floor(x);
    case rounding::rpi: return std::ceil(x);
    default: return std::trunc(x);
  }
}
/// Integers beyond the result's range are clamped. NaN gives 0, or only the top bit where a side
/// has 64 bits.
template <class D, class F> D to_integer(F x, rounding mode) {
  if (x != x)
    return sizeof(F) == 8 || sizeof(D) == 8 ? static_cast<D>(u64{1} << (sizeof(D) * 8 - 1)) : D{0};
  F const y = rounded_to_integer(x, mode);
  if (y <= static_cast<F>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  if (y >= static_cast<F>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
  return static_cast<D>(y);
}
/// `cvt`: S to D in a rounding mode.
template <class D, class S, rounding Mode> D converted(S x) {
  constexpr bool of_integer = Mode >= rounding::rni && Mode <= rounding::rpi;
  if constexpr (is_small_float<S>) {
    if constexpr (std::is_same_v<S, D> && !of_integer) return x;
    else return converted<D, float, Mode>(to_float(x));
  } else if constexpr (is_small_float<D>) {
    if constexpr (of_integer && std::is_floating_point_v<S>)
      return narrow<D>(static_cast<double>(rounded_to_integer(x, Mode)));
    else if constexpr (Mode == rounding::rz) return narrow_to_zero<D>(to_odd(x));
    else return narrow<D>(to_odd(x));
  } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D>) {
    return to_integer<D>(x, Mode);
  } else if constexpr (std::is_same_v<S, D>) {
    if constexpr (of_integer && std::is_floating_point_v<S>) return rounded_to_integer(x, Mode);
    else return x;
  } else if constexpr (Mode >= rounding::rz) {
    S const volatile in = x;
    return in_mode(Mode, [&] { return static_cast<D>(in); });
  } else {
    return static_cast<D>(x);
  }
}

}  // namespace ptx
