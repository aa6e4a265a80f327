// Bits of integers and bool: and, or, exclusive or, not, and shifts by any number of bits.
#include <placement/ops/bitwise.hpp>
#include <placement/placement.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>
#include <support/packs.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <sstream>

using namespace placement;

namespace {

using all_integers = types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                           std::int64_t, std::uint64_t>;
using all_bits = types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                       std::int64_t, std::uint64_t>;
/// Of those whose shifts are evaluated; the packs of all types are compared below.
using shifted = types_of_run<all_integers, types<std::int8_t, std::uint64_t>>;

/// NumPy's shifts, one bit at a time.
template <class T> T shifted_left(T x, T n) {
  if (n < T(0) || n >= T(8 * sizeof(T))) return T(0);
  for (T i = 0; i != n; ++i) x = static_cast<T>(static_cast<std::uint64_t>(x) * 2);
  return x;
}
template <class T> T shifted_right(T x, T n) {
  bool const negative = x < T(0);
  if (n < T(0) || n >= T(8 * sizeof(T))) return negative ? T(-1) : T(0);
  for (T i = 0; i != n; ++i) x = static_cast<T>((x - (x % 2 != 0 && negative ? 1 : 0)) / 2);
  return x;
}

/// Numbers of bits inside and outside of the width, beside all sorts of numbers.
template <class T> std::vector<T> counts() {
  std::vector<T> all;
  for (int n = -3; n != 70; ++n)
    if (std::is_signed_v<T> || n >= 0) all.push_back(static_cast<T>(n));
  for (T x : edge_values<T>()) all.push_back(x);
  return all;
}

}  // namespace

TEST_CASE("bitwise ops are those of C++ for each integer type and bool") {
  each<all_bits>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x & y; },
                    [](T a, T b) { return static_cast<T>(a & b); });
    check_binary<T>([](auto const& x, auto const& y) { return x | y; },
                    [](T a, T b) { return static_cast<T>(a | b); });
    check_binary<T>([](auto const& x, auto const& y) { return x ^ y; },
                    [](T a, T b) { return static_cast<T>(a ^ b); });
    check_unary<T>([](auto const& x) { return ~x; },
                   [](T a) {
                     if constexpr (std::is_same_v<T, bool>) return !a;
                     else return static_cast<T>(~a);
                   });
  });
}

TEST_CASE("shifts by a negative number of bits, or by the width and more, leave the sign only") {
  each<shifted>([]<class T>() {
    INFO(element_name<T>());
    auto const n = counts<T>(), x = edge_values<T>();
    std::vector<T> left, right;
    for (T v : x)
      for (T by : n) {
        left.push_back(shifted_left(v, by));
        right.push_back(shifted_right(v, by));
      }
    on_each_device([&](device d) {
      auto const column = tensor_of(x, shape(static_cast<index_t>(x.size()), 1));
      auto const row = tensor_of(n, shape(1, static_cast<index_t>(n.size())));
      tensor const to_left = column << row, to_right = column >> row;
      CHECK(differences(to_left, left) == no_differences);
      CHECK(differences(to_right, right) == no_differences);
      CHECK(to_left.where() == d);
    });
  });
}

TEST_CASE("shifts by one number are those of each element, alone and beside other ops") {
  each<shifted>([]<class T>() {
    INFO(element_name<T>());
    std::vector<T> x = edge_values<T>();
    words random;
    while (x.size() < 300) x.push_back(static_cast<T>(random()));
    for (T const by : counts<T>()) {
      std::vector<T> left, right, both;
      for (T v : x) {
        left.push_back(shifted_left(v, by));
        right.push_back(shifted_right(v, by));
        both.push_back(static_cast<T>(left.back() ^ right.back()));
      }
      tensor const t = tensor_of(x, shape(static_cast<index_t>(x.size())));
      tensor const to_left = t << by, to_right = t >> by, joined = (t << by) ^ (t >> by);
      CHECK(differences(to_left, left) == no_differences);
      CHECK(differences(to_right, right) == no_differences);
      CHECK(differences(joined, both) == no_differences);
    }
    for (index_t n = 0; n <= 70; ++n) {
      tensor const t = tensor_of(std::vector<T>(x.begin(), x.begin() + n), shape(n));
      std::vector<T> right;
      for (index_t i = 0; i != n; ++i)
        right.push_back(shifted_right(x[static_cast<std::size_t>(i)], T(3)));
      CHECK(differences(tensor(t >> T(3)), right) == no_differences);
    }
  });
}

namespace {
template <class Op, class T> void check_in_packs() {
  INFO(Op::name << " of " << element_name<T>());
  static_assert(!PLACEMENT_HAS_PACKS || simd::takes_packs<Op, T, T>);
  if constexpr (PLACEMENT_HAS_PACKS) {
    check_packs<2 * simd::lanes_for<T>>(Op{}, pack_values<T>(0, 1, {1}),
                                        pack_values<T>(1, 80, {2}));
    if constexpr (!std::is_same_v<T, bool>) {
      auto by = buffer_of<T>{std::size_t{100} * 16};
      for (std::size_t i = 0; i != by.n; ++i) by.p[i] = static_cast<T>(i % 75);
      auto x = buffer_of<T>{by.n};
      words random;
      for (std::size_t i = 0; i != x.n; ++i) x.p[i] = static_cast<T>(random());
      check_packs<2 * simd::lanes_for<T>>(Op{}, x, by);
    }
  }
}
}  // namespace
TEST_CASE("bitwise ops on packs are those on numbers") {
  each<all_bits>([]<class T>() {
    check_in_packs<bitwise_and_op, T>();
    check_in_packs<bitwise_or_op, T>();
    check_in_packs<bitwise_xor_op, T>();
    if constexpr (!std::is_same_v<T, bool>) {
      check_in_packs<left_shift_op, T>();
      check_in_packs<right_shift_op, T>();
    }
  });
}

TEST_CASE("bitwise ops take numbers, promote integers and update in place") {
  on_each_device([](device) {
    tensor x{1, 2, 0x1ff};
    CHECK(to_string(x & 0xff) == "[1 2 255]");
    CHECK(to_string(1 << x) == "[2 4 0]");
    tensor<std::uint8_t, dextents<1>> const bytes{std::uint8_t{3}, std::uint8_t{3},
                                                  std::uint8_t{255}};
    static_assert(std::is_same_v<decltype(x | bytes)::value_type, int>);
    CHECK(to_string(x | bytes) == "[3 3 511]");
    CHECK(to_string(bytes ^ std::uint8_t{1}) == "[2 2 254]");
    x <<= 4;
    x |= 1;
    x >>= 1;
    x ^= 3;
    x &= 0xffe;
    CHECK(to_string(x) == "[10 18 4090]");
    CHECK(to_string(slice(x, range{0, 2}) << 1) == "[20 36]");
    CHECK(to_string((x > 10) & (x < 100)) == "[False True False]");
  });
  CHECK(
      error_message<invalid_argument>(
          [] { tensor const y = tensor<std::uint8_t, dextents<1>>{std::uint8_t{1}} & 256; }) ==
      "placement: the number 256 does not fit the element type uint8 of the tensor beside it. Write "
      "cast<T>(x) to compute in a wider type.");
}

TEST_CASE("bitwise ops have NumPy's names, which know their line") {
  tensor const x{12, 10}, n{1, 2};
  CHECK(to_string(bitwise_and(x, 8)) == "[8 8]");
  CHECK(to_string(bitwise_or(x, n)) == "[13 10]");
  CHECK(to_string(bitwise_xor(x, n)) == "[13 8]");
  CHECK(to_string(bitwise_not(x)) == "[-13 -11]");
  CHECK(to_string(invert(x > 11)) == "[False True]");
  CHECK(to_string(left_shift(x, n)) == "[24 40]");
  CHECK(to_string(right_shift(x, n)) == "[6 2]");
  CHECK(explain(left_shift(x, n)).find("LeftShift") != std::string::npos);
}

TEST_CASE("streams print expressions and tensors, and operands shift") {
  tensor const x{1, 2};
  std::ostringstream out;
  out << x << ' ' << (x << 2) << ' ' << x + 1;
  CHECK(out.str() == "[1 2] [4 8] [2 3]");
}
