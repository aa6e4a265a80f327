// float16 and bfloat16: every value, and every case of rounding.
#include <placement/gpu/map.hpp>
#include <placement/math/float16.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

template <class T> struct about;
template <> struct about<float16> {
  static constexpr int exponent_bits = 5;
};
template <> struct about<bfloat16> {
  static constexpr int exponent_bits = 8;
};

/// The value of a finite number, by the definition of the format.
template <class T> double meaning(std::uint16_t bits) {
  constexpr int digits = 15 - about<T>::exponent_bits;
  constexpr int bias = (1 << (about<T>::exponent_bits - 1)) - 1;
  int const exponent = (bits & 0x7fff) >> digits, fraction = bits & ((1 << digits) - 1);
  double const size = exponent == 0
                          ? std::ldexp(fraction, 1 - bias - digits)
                          : std::ldexp((1 << digits) + fraction, exponent - bias - digits);
  return (bits & 0x8000) != 0 ? -size : size;
}
template <class T>
constexpr std::uint16_t infinity_bits = static_cast<std::uint16_t>(
    0x7fff >> (15 - about<T>::exponent_bits) << (15 - about<T>::exponent_bits));

template <class T> void check_values() {
  for (std::uint32_t b = 0; b != 0x10000; ++b) {
    auto const bits = static_cast<std::uint16_t>(b);
    T const x = T::from_bits(bits);
    float const f = x;
    std::uint16_t const magnitude = bits & 0x7fff;
    if (magnitude > infinity_bits<T>) {
      REQUIRE(std::isnan(f));
      REQUIRE(std::isnan(static_cast<float>(T(f))));
    } else if (magnitude == infinity_bits<T>) {
      REQUIRE(std::isinf(f));
      REQUIRE(T(f).bits == bits);
    } else {
      REQUIRE(static_cast<double>(f) == meaning<T>(bits));
      REQUIRE(std::signbit(f) == ((bits & 0x8000) != 0));
      REQUIRE(T(f).bits == bits);
    }
  }
}
/// Checks the values between each number and the next: the midpoint is rounded to even, all others
/// to the nearest.
template <class T> void check_rounding() {
  for (std::uint16_t b = 0; b + 1 <= infinity_bits<T>; ++b) {
    auto const next = static_cast<std::uint16_t>(b + 1);
    double const low = meaning<T>(b);
    double const high = next == infinity_bits<T>
                            ? 2 * low - meaning<T>(static_cast<std::uint16_t>(b - 1))
                            : meaning<T>(next);
    float const middle = static_cast<float>((low + high) / 2);
    if (static_cast<double>(middle) != (low + high) / 2) continue;  // the midpoint is not a float
    float const below = std::nextafter(middle, 0.f);
    float const above = std::nextafter(middle, std::numeric_limits<float>::infinity());
    std::uint16_t const even = b % 2 == 0 ? b : next;
    REQUIRE(T(middle).bits == even);
    REQUIRE(T(-middle).bits == (even | 0x8000));
    REQUIRE(T(below).bits == b);
    REQUIRE(T(above).bits == next);
  }
}
template <class T> void check_limits() {
  using limits = std::numeric_limits<T>;
  STATIC_REQUIRE(limits::is_specialized);
  STATIC_REQUIRE(!limits::is_integer);
  CHECK(static_cast<float>(limits::max()) == meaning<T>(infinity_bits<T> - 1));
  CHECK(static_cast<float>(limits::lowest()) == -static_cast<float>(limits::max()));
  CHECK(static_cast<float>(limits::min()) == std::ldexp(1., limits::min_exponent - 1));
  CHECK(T(static_cast<float>(limits::max()) * 1.5f) == limits::infinity());
  CHECK(std::isnan(static_cast<float>(limits::quiet_NaN())));
  CHECK(limits::denorm_min().bits == 1);
  CHECK(static_cast<float>(limits::epsilon()) == std::ldexp(1., 1 - limits::digits));
  CHECK(T(1.f) + limits::epsilon() > T(1.f));
  CHECK(T(1.f) + limits::epsilon() / T(2.f) == T(1.f));
}

}  // namespace

TEST_CASE("every 16-bit float has the value of its format, and converts to float and back") {
  check_values<float16>();
  check_values<bfloat16>();
}

TEST_CASE("a float converts to the nearest 16-bit float, with ties to even") {
  check_rounding<float16>();
  check_rounding<bfloat16>();
}

TEST_CASE("infinities, NaN, zeros and underflow convert to the same kind of value") {
  float const infinity = std::numeric_limits<float>::infinity();
  CHECK(float16(infinity).bits == 0x7c00);
  CHECK(float16(-infinity).bits == 0xfc00);
  CHECK(float16(65519.996f).bits == 0x7bff);
  CHECK(float16(65520.f).bits == 0x7c00);
  CHECK(float16(1e30f).bits == 0x7c00);
  CHECK(float16(-0.f).bits == 0x8000);
  CHECK(float16(1e-30f).bits == 0);
  CHECK(float16(std::ldexp(1.f, -25)).bits == 0);  // the midpoint of 0 and the smallest value
  CHECK(float16(std::nextafter(std::ldexp(1.f, -25), 1.f)).bits == 1);
  CHECK(bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(bfloat16(-0.f).bits == 0x8000);
  CHECK(bfloat16(std::numeric_limits<float>::denorm_min()).bits == 0);
  // a NaN whose payload is entirely in the truncated bits
  CHECK(std::isnan(static_cast<float>(bfloat16(__builtin_bit_cast(float, 0x7f800001u)))));
  CHECK(std::isnan(static_cast<float>(float16(__builtin_bit_cast(float, 0xff800001u)))));
}

TEST_CASE("numeric_limits of the 16-bit floats are those of their formats") {
  check_limits<float16>();
  check_limits<bfloat16>();
  CHECK(std::numeric_limits<float16>::digits10 == 3);
  CHECK(std::numeric_limits<bfloat16>::digits10 == 2);
  CHECK(std::numeric_limits<float16>::max_digits10 == 5);
  CHECK(std::numeric_limits<bfloat16>::max_digits10 == 4);
}

TEST_CASE("arithmetic on 16-bit floats is computed in float and rounded, also at compile time") {
  STATIC_REQUIRE(float16(1.f) + float16(2.f) == float16(3.f));
  STATIC_REQUIRE(bfloat16(256.f) + bfloat16(1.f) == bfloat16(256.f));
  STATIC_REQUIRE(-float16(2.f) < float16(0.f));
  STATIC_REQUIRE(std::is_trivially_copyable_v<float16> && sizeof(float16) == 2);
  STATIC_REQUIRE(std::is_trivially_copyable_v<bfloat16> && sizeof(bfloat16) == 2);
  float16 const nan = std::numeric_limits<float16>::quiet_NaN();
  CHECK_FALSE(nan == nan);
  CHECK_FALSE(nan <= nan);
  float16 x(3.f);
  x *= x;
  CHECK(x == float16(9.f));
}

TEST_CASE("a GPU kernel reads and writes eight 16-bit floats at once") {
  struct twice_op {
    constexpr bfloat16 operator()(bfloat16 x) const { return x + x; }
  };
  using leaf = dense_leaf<bfloat16>;
  STATIC_REQUIRE(vector_width<bfloat16, leaf> == 8);
  index_t const n = 20001;
  std::vector<bfloat16> in(static_cast<std::size_t>(n)), out(in.size());
  for (std::size_t i = 0; i != in.size(); ++i) in[i] = bfloat16(static_cast<float>(i % 250));
  bound_expr<true, twice_op, leaf> const f{{}, {{leaf{in.data()}}}};
  detail::map_contiguous(emulated::host_grid{}, out.data(), n, f);
  for (std::size_t i = 0; i != in.size(); ++i)
    REQUIRE(static_cast<float>(out[i]) == 2 * static_cast<float>(i % 250));
}
