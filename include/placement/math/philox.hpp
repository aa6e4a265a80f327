#pragma once
/// Stateless random numbers: each block of four words is a function of a counter and a key.

#include <placement/config.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// Four 32-bit words: philox's counter and its result.
struct philox_block {
  std::uint32_t word[4]{};

  friend constexpr bool operator==(philox_block const&, philox_block const&) = default;
};

/// The block of random words for this counter: Philox 4x32 with 10 rounds. Equal on every device.
/// Source: Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011).
PLACEMENT_HD constexpr philox_block philox(philox_block c, std::uint64_t key) noexcept {
  constexpr std::uint64_t multiplier[] = {0xD2511F53, 0xCD9E8D57};
  std::uint32_t low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round != 10; ++round) {
    std::uint64_t const p = multiplier[0] * c.word[0], q = multiplier[1] * c.word[2];
    c = {{static_cast<std::uint32_t>(q >> 32) ^ c.word[1] ^ low, static_cast<std::uint32_t>(q),
          static_cast<std::uint32_t>(p >> 32) ^ c.word[3] ^ high, static_cast<std::uint32_t>(p)}};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return c;
}

/// Two words of a pair of elements, and which of the two an element is: 0 or 1.
template <class U> struct random_pair {
  U first, second, is_odd;
};

/// The random words of one op. Blocks are numbered by the elements that they are for.
struct random_stream {
  std::uint64_t seed = 0;    ///< the key
  std::uint64_t number = 0;  ///< the number of the op in the program

  /// Block i.
  PLACEMENT_HD constexpr philox_block block(std::int64_t i) const noexcept {
    auto const n = static_cast<std::uint64_t>(i);
    return philox({{static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32),
                    static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)}},
                  seed);
  }

  /// The random bits of element i as a float or a double needs them: word i % 4 of block i / 4, or
  /// half of block i / 2, the upper word first.
  template <class T> PLACEMENT_HD constexpr auto word(std::int64_t i) const noexcept {
    if constexpr (sizeof(T) == 4) {
      philox_block const b = block(i >> 2);
      std::uint32_t const early = (i & 1) != 0 ? b.word[1] : b.word[0];
      std::uint32_t const late = (i & 1) != 0 ? b.word[3] : b.word[2];
      return (i & 2) != 0 ? late : early;
    } else {
      philox_block const b = block(i >> 1);
      return (i & 1) != 0 ? joined(b.word[2], b.word[3]) : joined(b.word[0], b.word[1]);
    }
  }
  /// The words of elements i and i ^ 1.
  template <class T> PLACEMENT_HD constexpr auto pair(std::int64_t i) const noexcept {
    if constexpr (sizeof(T) == 4) {
      philox_block const b = block(i >> 2);
      bool const is_late = (i & 2) != 0;
      return random_pair<std::uint32_t>{is_late ? b.word[2] : b.word[0],
                                        is_late ? b.word[3] : b.word[1],
                                        static_cast<std::uint32_t>(i & 1)};
    } else {
      philox_block const b = block(i >> 1);
      return random_pair<std::uint64_t>{joined(b.word[0], b.word[1]), joined(b.word[2], b.word[3]),
                                        static_cast<std::uint64_t>(i & 1)};
    }
  }

 private:
  PLACEMENT_HD static constexpr std::uint64_t joined(std::uint32_t high,
                                                     std::uint32_t low) noexcept {
    return static_cast<std::uint64_t>(high) << 32 | low;
  }
};

namespace detail {

PLACEMENT_HD constexpr std::uint64_t joined(std::uint32_t high, std::uint32_t low) noexcept {
  return static_cast<std::uint64_t>(high) << 32 | low;
}
/// The upper half of a 64 x 64 bit product.
PLACEMENT_HD constexpr std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t const a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
  std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & 0xffffffff)) >> 32);
}
/// A number in [0, n) from 128 random bits, read as a fraction.
/// The bias of each value is at most n / 2^128.
PLACEMENT_HD constexpr std::uint64_t below(std::uint64_t n, philox_block const& b) noexcept {
  std::uint64_t const high = joined(b.word[0], b.word[1]), low = joined(b.word[2], b.word[3]);
  std::uint64_t const part = high * n, carried = part + upper_product(low, n);
  return upper_product(high, n) + (carried < part ? 1 : 0);
}
/// The same of lanes of 64 bits, whose words are their lower halves. IsWide: n may be 2^32 or more.
/// product(a, b): of the lower halves of lanes. No sum of a product and carried halves overflows.
template <bool IsWide, class Blocks, class Product>
PLACEMENT_ALWAYS_INLINE inline auto lanes_below(std::uint64_t n, Blocks const& b,
                                                Product const& product) noexcept {
  using words = std::remove_cvref_t<decltype(b.w0)>;
  words const n0(n);
  words const a3 = product(n0, b.w3), a2 = product(n0, b.w2) + (a3 >> 32);
  words const a1 = product(n0, b.w1) + (a2 >> 32), a0 = product(n0, b.w0) + (a1 >> 32);
  if constexpr (!IsWide) {
    return a0 >> 32;
  } else {
    words const n1(n >> 32), lower(std::uint64_t{0xffffffff});
    words const b3 = product(n1, b.w3) + (a2 & lower);
    words const b2 = product(n1, b.w2) + (a1 & lower) + (b3 >> 32);
    words const b1 = product(n1, b.w1) + (a0 & lower) + (b2 >> 32);
    return product(n1, b.w0) + (a0 >> 32) + (b1 >> 32);
  }
}

}  // namespace detail
}}  // namespace placement::v0_1
