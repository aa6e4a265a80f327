#pragma once
/// Two 16-bit floating-point types: float16 has more digits, bfloat16 has the range of float. They
/// are storage types; arithmetic is done in float and rounded.

#include <placement/config.hpp>
#include <placement/math/complex_traits.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The bits of a 16-bit binary floating-point format with this number of exponent bits.
template <int ExponentBits> struct format16 {
  static constexpr int digits = 15 - ExponentBits;  ///< of the fraction
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int dropped = 23 - digits;  ///< bits of a float's fraction beyond the format's
  static constexpr std::uint32_t infinity = ((1u << ExponentBits) - 1) << digits;

  /// The nearest number of the format; a tie goes to the even fraction.
  /// Source: IEEE 754-2019, 4.3.1 (roundTiesToEven).
  PLACEMENT_HD static constexpr std::uint16_t from(float x) noexcept {
    std::uint32_t const u = __builtin_bit_cast(std::uint32_t, x);
    std::uint32_t const sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000)  // NaN stays a NaN, and quiet
      return narrow(sign | infinity | 1u << (digits - 1) |
                    (magnitude >> dropped & ((1u << digits) - 1)));
    constexpr std::uint32_t smallest = static_cast<std::uint32_t>(127 - bias + 1) << 23;
    if (magnitude >= smallest || ExponentBits == 8) {
      // a carry out of the fraction increases the exponent, up to infinity
      std::uint32_t const rebased = magnitude - (static_cast<std::uint32_t>(127 - bias) << 23);
      std::uint32_t const rounded = round(rebased, dropped);
      return narrow(sign | (magnitude == 0x7f800000 || rounded > infinity ? infinity : rounded));
    }
    // below the smallest normal number the fraction loses digits
    std::uint32_t const exponent = magnitude >> 23;
    std::uint32_t const shift = static_cast<std::uint32_t>(127 - bias + 1 + dropped) - exponent;
    if (shift > 25) return narrow(sign);
    return narrow(sign | round((magnitude & 0x7fffff) | 0x800000, static_cast<int>(shift)));
  }
  /// Exact.
  PLACEMENT_HD static constexpr float to(std::uint16_t bits) noexcept {
    std::uint32_t const sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    std::uint32_t const magnitude = bits & 0x7fffu;
    if constexpr (ExponentBits == 8) {
      return __builtin_bit_cast(float, sign | magnitude << dropped);
    } else {
      if (magnitude >= infinity)
        return __builtin_bit_cast(float, sign | 0x7f800000 | (magnitude - infinity) << dropped);
      if (magnitude >= 1u << digits)
        return __builtin_bit_cast(float, sign | ((magnitude << dropped) +
                                                 (static_cast<std::uint32_t>(127 - bias) << 23)));
      // a multiple of the smallest number, 2^(1 - bias - digits)
      constexpr float unit =
          __builtin_bit_cast(float, static_cast<std::uint32_t>(127 + 1 - bias - digits) << 23);
      float const x = static_cast<float>(magnitude) * unit;
      return sign != 0 ? -x : x;
    }
  }

 private:
  PLACEMENT_HD static constexpr std::uint16_t narrow(std::uint32_t bits) noexcept {
    return static_cast<std::uint16_t>(bits);
  }
  /// bits / 2^shift, rounded to nearest, ties to even.
  PLACEMENT_HD static constexpr std::uint32_t round(std::uint32_t bits, int shift) noexcept {
    std::uint32_t const odd = bits >> shift & 1;
    return (bits + (1u << (shift - 1)) - 1 + odd) >> shift;
  }
};

/// Conversions of a format. A GPU has instructions for float16, and from compute capability 8.0 on
/// for rounding to bfloat16, whose conversion to float needs a shift only.
template <int ExponentBits> struct conversion16 : format16<ExponentBits> {
  /// Equal on a device except for NaN, which always becomes 0x7fff.
  PLACEMENT_HD static constexpr std::uint16_t from(float x) noexcept {
    if (!PLACEMENT_DEVICE_BFLOAT16 || __builtin_is_constant_evaluated())
      return format16<ExponentBits>::from(x);
    std::uint16_t bits = 0;
    PLACEMENT_PTX("cvt.rn.bf16.f32 %0, %1;", "=h"(bits), "f"(x));
    return bits;
  }
};
template <> struct conversion16<5> : format16<5> {
  /// Equal on a device except for NaN, which always becomes 0x7fff.
  PLACEMENT_HD static constexpr std::uint16_t from(float x) noexcept {
    if (!PLACEMENT_ON_DEVICE || __builtin_is_constant_evaluated()) return format16<5>::from(x);
    std::uint16_t bits = 0;
    PLACEMENT_PTX("cvt.rn.f16.f32 %0, %1;", "=h"(bits), "f"(x));
    return bits;
  }
  PLACEMENT_HD static constexpr float to(std::uint16_t bits) noexcept {
    if (!PLACEMENT_ON_DEVICE || __builtin_is_constant_evaluated()) return format16<5>::to(bits);
    float x = 0;
    PLACEMENT_PTX("cvt.f32.f16 %0, %1;", "=f"(x), "h"(bits));
    return x;
  }
};

/// Converts a number to a float that rounds to the same 16-bit number as the original. The float is
/// exact, or truncated with its last bit set (round to odd).
/// Source: Boldo, Melquiond: Emulation of a FMA and correctly-rounded sums (2008), round to odd.
PLACEMENT_HD constexpr float to_be_rounded(float x) noexcept { return x; }
PLACEMENT_HD constexpr float to_be_rounded(double x) noexcept {
  float const nearest = static_cast<float>(x);
  double const found = static_cast<double>(nearest);
  if (found == x || x != x) return nearest;
  std::uint32_t const bits = __builtin_bit_cast(std::uint32_t, nearest);
  bool const too_far = x < 0 ? found < x : found > x;
  return __builtin_bit_cast(float, (too_far ? bits - 1 : bits) | 1u);
}
template <std::integral N> PLACEMENT_HD constexpr float to_be_rounded(N n) noexcept {
  if constexpr (sizeof(N) <= 2) {
    return static_cast<float>(n);
  } else {
    if constexpr (sizeof(N) > 4) {
      if (n / (N{1} << 53) != 0) {  // more digits than double: the low ones only set the sticky bit
        N const odd = static_cast<N>(n >> 11 | static_cast<N>((n & 2047) != 0));
        constexpr double unit = 2048;
        return to_be_rounded(static_cast<double>(odd) * unit);
      }
    }
    return to_be_rounded(static_cast<double>(n));
  }
}

namespace no_adl {
/// The common base of both types. Self: the derived type.
template <class Self, int ExponentBits> struct number16 {
 private:
  friend Self;
  constexpr number16() = default;

 public:
  using format = conversion16<ExponentBits>;
  std::uint16_t bits = 0;

  PLACEMENT_HD constexpr operator float() const noexcept { return format::to(bits); }
  PLACEMENT_HD static constexpr Self from_bits(std::uint16_t b) noexcept {
    Self x;
    x.bits = b;
    return x;
  }

  friend PLACEMENT_HD constexpr Self operator+(Self a, Self b) noexcept {
    return Self(static_cast<float>(a) + static_cast<float>(b));
  }
  friend PLACEMENT_HD constexpr Self operator-(Self a, Self b) noexcept {
    return Self(static_cast<float>(a) - static_cast<float>(b));
  }
  friend PLACEMENT_HD constexpr Self operator*(Self a, Self b) noexcept {
    return Self(static_cast<float>(a) * static_cast<float>(b));
  }
  friend PLACEMENT_HD constexpr Self operator/(Self a, Self b) noexcept {
    return Self(static_cast<float>(a) / static_cast<float>(b));
  }
  friend PLACEMENT_HD constexpr Self operator-(Self a) noexcept {
    a.bits = static_cast<std::uint16_t>(a.bits ^ 0x8000);
    return a;
  }
  friend PLACEMENT_HD constexpr Self& operator+=(Self& a, Self b) noexcept { return a = a + b; }
  friend PLACEMENT_HD constexpr Self& operator-=(Self& a, Self b) noexcept { return a = a - b; }
  friend PLACEMENT_HD constexpr Self& operator*=(Self& a, Self b) noexcept { return a = a * b; }
  friend PLACEMENT_HD constexpr Self& operator/=(Self& a, Self b) noexcept { return a = a / b; }
  friend PLACEMENT_HD constexpr bool operator==(Self a, Self b) noexcept {
    return static_cast<float>(a) == static_cast<float>(b);
  }
  friend PLACEMENT_HD constexpr bool operator<(Self a, Self b) noexcept {
    return static_cast<float>(a) < static_cast<float>(b);
  }
  friend PLACEMENT_HD constexpr bool operator>(Self a, Self b) noexcept { return b < a; }
  friend PLACEMENT_HD constexpr bool operator<=(Self a, Self b) noexcept {
    return static_cast<float>(a) <= static_cast<float>(b);
  }
  friend PLACEMENT_HD constexpr bool operator>=(Self a, Self b) noexcept { return b <= a; }
};
}  // namespace no_adl
using no_adl::number16;

}  // namespace detail

/// IEEE binary16: 11 binary digits, up to 65504. Conversions round to nearest.
struct float16 : detail::number16<float16, 5> {
  constexpr float16() = default;
  template <class N> requires std::is_arithmetic_v<N>
  PLACEMENT_HD constexpr explicit float16(N x) noexcept {
    bits = format::from(detail::to_be_rounded(x));
  }
};
/// The upper half of a float: 8 binary digits, up to 3.4e38. Conversions round to nearest.
struct bfloat16 : detail::number16<bfloat16, 8> {
  constexpr bfloat16() = default;
  template <class N> requires std::is_arithmetic_v<N>
  PLACEMENT_HD constexpr explicit bfloat16(N x) noexcept {
    bits = format::from(detail::to_be_rounded(x));
  }
};

template <class T> concept number_of_16_bits =
    std::same_as<T, float16> || std::same_as<T, bfloat16>;

/// Floating point: float, double, and both 16-bit types.
template <class T> concept real_number = std::is_floating_point_v<T> || number_of_16_bits<T>;
/// Every arithmetic type, both 16-bit types, and complex numbers.
template <class T> concept any_number =
    std::is_arithmetic_v<T> || number_of_16_bits<T> || is_complex<T>;

/// The type in which numbers of type T are computed: float for 16-bit types, else T. The result of
/// an op is rounded once.
template <class T> using computed_in = std::conditional_t<number_of_16_bits<T>, float, T>;
template <class T> PLACEMENT_HD constexpr computed_in<T> widened(T x) noexcept { return x; }

}}  // namespace placement::v0_1

namespace placement { inline namespace v0_1 { namespace detail {
/// The members of `std::numeric_limits` for both types.
template <class Self, int ExponentBits> struct limits16 : std::numeric_limits<float> {
  using format = format16<ExponentBits>;
  static constexpr int digits = format::digits + 1;
  static constexpr int digits10 = (digits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = digits * 30103 / 100000 + 2;
  static constexpr int max_exponent = format::bias + 1, min_exponent = 2 - format::bias;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;
  static constexpr int min_exponent10 = -((format::bias - 1) * 30103 / 100000);

  static constexpr Self from(std::uint32_t bits) noexcept {
    return Self::from_bits(static_cast<std::uint16_t>(bits));
  }
  static constexpr Self min() noexcept { return from(1u << format::digits); }
  static constexpr Self max() noexcept { return from(format::infinity - 1); }
  static constexpr Self lowest() noexcept { return -max(); }
  static constexpr Self epsilon() noexcept {
    return from(static_cast<std::uint32_t>(format::bias - format::digits) << format::digits);
  }
  static constexpr Self round_error() noexcept { return Self(0.5f); }
  static constexpr Self infinity() noexcept { return from(format::infinity); }
  static constexpr Self quiet_NaN() noexcept {
    return from(format::infinity | 1u << (format::digits - 1));
  }
  static constexpr Self signaling_NaN() noexcept { return from(format::infinity | 1u); }
  static constexpr Self denorm_min() noexcept { return from(1); }
};
}}}  // namespace placement::v0_1::detail

template <>
struct std::numeric_limits<placement::float16>
    : placement::detail::limits16<placement::float16, 5> {};
template <>
struct std::numeric_limits<placement::bfloat16>
    : placement::detail::limits16<placement::bfloat16, 8> {};

namespace placement { inline namespace v0_1 { namespace detail {

/// Values below and above all others, where a search for the maximum or minimum starts. They are
/// data of built-in types, because device code can neither call `std::numeric_limits` nor copy a
/// class constant.
template <class T> struct ends_of {
  using limits = std::numeric_limits<T>;
  static constexpr T below = real_number<T> ? -limits::infinity() : limits::lowest();
  static constexpr T above = real_number<T> ? limits::infinity() : limits::max();
};
template <number_of_16_bits T> struct ends_of<T> {
  static constexpr std::uint16_t above = std::numeric_limits<T>::infinity().bits;
  static constexpr std::uint16_t below = above | 0x8000;
};
/// The number after x in the direction of y, like `std::nextafter`.
template <number_of_16_bits T> constexpr T next_number(T x, T y) noexcept {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  auto const moved = [](int bits) { return T::from_bits(static_cast<std::uint16_t>(bits)); };
  if (x == T{}) return moved(y < x ? 0x8001 : 1);
  return moved(x.bits + ((x < y) == (x > T{}) ? 1 : -1));
}

template <class T> PLACEMENT_HD constexpr T below_all() noexcept {
  if constexpr (number_of_16_bits<T>) return T::from_bits(ends_of<T>::below);
  else return ends_of<T>::below;
}
template <class T> PLACEMENT_HD constexpr T above_all() noexcept {
  if constexpr (number_of_16_bits<T>) return T::from_bits(ends_of<T>::above);
  else return ends_of<T>::above;
}

}}}  // namespace placement::v0_1::detail
