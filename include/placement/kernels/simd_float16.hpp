#pragma once
/// Packs of float16 and bfloat16: floats, rounded after each operation.

#include <placement/kernels/simd_convert.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

/// N numbers of 16 bits, each in a lane of float. Arithmetic is float's, rounded once.
template <number_of_16_bits T, int N, class Registers> struct basic_pack<T, N, Registers> {
  using element = T;
  static constexpr int lanes = N;
  using wide_type = pack<float, N>;

  wide_type wide;

  basic_pack() = default;
  /// By packs: without a branch it is moved out of loops.
  PLACEMENT_ALWAYS_INLINE basic_pack(T x) noexcept
      : basic_pack(from_bits(pack<std::uint16_t, N>(x.bits))) {}
  /// The nearest number, ties to even.
  PLACEMENT_ALWAYS_INLINE explicit basic_pack(wide_type const& x) noexcept : wide(rounded(x)) {}

  PLACEMENT_ALWAYS_INLINE friend basic_pack operator+(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    return basic_pack(a.wide + b.wide);
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator-(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    return basic_pack(a.wide - b.wide);
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator*(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    return basic_pack(a.wide * b.wide);
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator/(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    return basic_pack(a.wide / b.wide);
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator-(basic_pack a) noexcept {
    a.wide = bit_cast<float>(bit_cast<std::uint32_t>(a.wide) ^ sign);
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend auto operator==(basic_pack const& a,
                                                 basic_pack const& b) noexcept {
    return a.wide == b.wide;
  }
  PLACEMENT_ALWAYS_INLINE friend auto operator!=(basic_pack const& a,
                                                 basic_pack const& b) noexcept {
    return a.wide != b.wide;
  }
  PLACEMENT_ALWAYS_INLINE friend auto operator<(basic_pack const& a, basic_pack const& b) noexcept {
    return a.wide < b.wide;
  }
  PLACEMENT_ALWAYS_INLINE friend auto operator<=(basic_pack const& a,
                                                 basic_pack const& b) noexcept {
    return a.wide <= b.wide;
  }
  PLACEMENT_ALWAYS_INLINE friend auto operator>(basic_pack const& a, basic_pack const& b) noexcept {
    return a.wide > b.wide;
  }
  PLACEMENT_ALWAYS_INLINE friend auto operator>=(basic_pack const& a,
                                                 basic_pack const& b) noexcept {
    return a.wide >= b.wide;
  }
  PLACEMENT_ALWAYS_INLINE friend wide_type widened(basic_pack const& x) noexcept { return x.wide; }

  /// The numbers with these bits, exactly.
  PLACEMENT_ALWAYS_INLINE static basic_pack from_bits(pack<std::uint16_t, N> const& bits) noexcept {
    basic_pack y;
    auto const u = convert<std::uint32_t>(bits);
    auto const magnitude = u & 0x7fff;
    words const signs = (u & 0x8000) << 16;
    if constexpr (is_short) {
      y.wide = bit_cast<float>(u << 16);
    } else {
      constexpr std::uint32_t smallest_normal = 1u << 10, infinity = 0x7c00;
      words const moved = magnitude << dropped;
      words const number = moved + (112u << 23), no_number = moved + (224u << 23);
      wide_type const denormal = bit_cast<float>(magnitude + half) - 0.5f;
      y.wide = bit_cast<float>(
          signs | select(magnitude < words(smallest_normal), bit_cast<std::uint32_t>(denormal),
                         select(magnitude < words(infinity), number, no_number)));
    }
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend pack<std::uint16_t, N> to_bits16(basic_pack const& x) noexcept {
    words const u = bit_cast<std::uint32_t>(x.wide);
    if constexpr (is_short) {
      return convert<std::uint16_t>(u >> 16);
    } else {
      words const magnitude = u & ~sign, moved = magnitude >> dropped;
      wide_type const denormal = bit_cast<float>(magnitude) + 0.5f;
      words const small = bit_cast<std::uint32_t>(denormal) - half;
      words const y = select(
          is_below(magnitude, smallest), small,
          moved - select(is_below(magnitude, 0x7f800000), words(112u << 10), words(224u << 10)));
      return convert<std::uint16_t>(y | (u & sign) >> 16);
    }
  }

 private:
  using words = pack<std::uint32_t, N>;
  static constexpr bool is_short = std::is_same_v<T, bfloat16>;
  static constexpr int dropped = is_short ? 16 : 13;  ///< bits of a float's fraction
  static constexpr std::uint32_t sign = 0x80000000, half = 0x3f000000;
  static constexpr std::uint32_t smallest = 113u << 23;  ///< float16's normal number, 2^-14

  /// a < b, both below 2^31.
  PLACEMENT_ALWAYS_INLINE static auto is_below(words const& a, std::uint32_t b) noexcept {
    return bit_cast<std::int32_t>(a) < pack<std::int32_t, N>(static_cast<std::int32_t>(b));
  }
  PLACEMENT_ALWAYS_INLINE static wide_type rounded(wide_type const& x) noexcept {
    words const u = bit_cast<std::uint32_t>(x), magnitude = u & ~sign;
    constexpr std::uint32_t kept = ~((1u << dropped) - 1), quiet = 1u << 22;
    words const odd = (magnitude >> dropped) & 1;
    words y = (magnitude + ((1u << (dropped - 1)) - 1) + odd) & kept;
    if constexpr (!is_short) {  // at most infinity, and multiples of 2^-24
      y = select(is_below(y, 143u << 23), y, words(0x7f800000));
      wide_type const small = (bit_cast<float>(magnitude) + 0.5f) - 0.5f;
      y = select(is_below(magnitude, smallest), bit_cast<std::uint32_t>(small), y);
    }
    y = select(is_below(magnitude, 0x7f800001), y, (magnitude & kept) | quiet);
    return bit_cast<float>(y | (u & sign));
  }
};

}}}  // namespace placement::v0_1::simd
