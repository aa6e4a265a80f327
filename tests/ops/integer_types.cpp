// The 16-bit integers and uint64: arithmetic, casts, reductions, order, indices and text.
#include <placement/expr/array2string.hpp>
#include <placement/interop/dlpack.hpp>
#include <placement/ops/arange.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/topk.hpp>
#include <placement/ops/unique.hpp>
#include <placement/placement.hpp>
#include <support/casts.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

using namespace placement;

namespace {

using i16 = std::int16_t;
using u16 = std::uint16_t;
using u64 = std::uint64_t;
using vector16 = tensor<i16, dextents<1>>;
using vector_u64 = tensor<u64, dextents<1>>;
using tested = types<i16, u16, u64>;

constexpr u64 top = u64{1} << 63;
constexpr u64 most = ~u64{0};

template <class T>
using named = typename decltype(sum(std::declval<tensor<T, dextents<1>>>()))::value_type;
static_assert(std::is_same_v<named<i16>, std::int64_t> && std::is_same_v<named<u16>, std::int64_t>);
static_assert(std::is_same_v<named<u64>, u64>);

/// The documented result of cast, computed in long double.
template <class To, class From> To cast_to(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (x != x) return To(0);
    long double const whole = std::trunc(static_cast<long double>(x));
    if (whole < static_cast<long double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (whole > static_cast<long double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace

TEST_CASE("arithmetic of int16, uint16 and uint64 wraps") {
  each<tested>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x + y; },
                    [](T a, T b) { return wrapped(a, b, [](u64 p, u64 q) { return p + q; }); });
    check_binary<T>([](auto const& x, auto const& y) { return x - y; },
                    [](T a, T b) { return wrapped(a, b, [](u64 p, u64 q) { return p - q; }); });
    check_binary<T>([](auto const& x, auto const& y) { return x * y; },
                    [](T a, T b) { return wrapped(a, b, [](u64 p, u64 q) { return p * q; }); });
    check_binary<T>(
        [](auto const& x, auto const& y) { return x / y; },
        [](T a, T b) { return b == 0 ? T(0) : static_cast<T>(a / b); });  // -32768 / -1 wraps
    check_binary<T>([](auto const& x, auto const& y) { return x % y; },
                    [](T a, T b) { return b == 0 ? T(0) : static_cast<T>(a % b); });
    check_binary<T>([](auto const& x, auto const& y) { return maximum(x, y); },
                    [](T a, T b) { return std::max(a, b); });
  });
}

TEST_CASE("comparisons of int16, uint16 and uint64 use all bits") {
  each<tested>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x < y; },
                    [](T a, T b) { return a < b; });
    check_binary<T>([](auto const& x, auto const& y) { return x >= y; },
                    [](T a, T b) { return a >= b; });
    check_binary<T>([](auto const& x, auto const& y) { return x == y; },
                    [](T a, T b) { return a == b; });
  });
}

TEST_CASE("casts to and from int16, uint16 and uint64 saturate from floating point and wrap") {
  each<tested>([]<class T>() {
    each<types<bool, std::int8_t, i16, u16, int, std::int64_t, u64, float, double>>([]<class U>() {
      INFO("and " << element_name<U>());
      check_cast<U, T>(&cast_to<U, T>);
      check_cast<T, U>(&cast_to<T, U>);
    });
  });
  tensor const x{-1., 0.9, 0x1p63, 0x1.fffffffffffffp63, 0x1p64, 0x1.8p63, -0.5, 4096.5};
  CHECK(to_string(cast<u64>(x)) ==
        "[0 0 9223372036854775808 18446744073709549568 18446744073709551615 13835058055282163712 0 "
        "4096]");
}

TEST_CASE("uint64 sums and multiplies in uint64, the 16-bit integers in int64") {
  on_each_device([](device) {
    vector_u64 const x{top, top - 1, u64{1}};
    CHECK(to_string(sum(x)) == "0");
    CHECK(to_string(sum(slice(x, range{0, 2}))) == "18446744073709551615");
    CHECK(to_string(prod(vector_u64{most, u64{1}})) == "18446744073709551615");
    CHECK(to_string(cumsum(x)) == "[9223372036854775808 18446744073709551615 0]");
    CHECK(item(sum(vector16{i16{-32768}, i16{-32768}, i16{1}})) == -65535);
    CHECK(item(sum(tensor<u16, dextents<1>>{u16{65535}, u16{65535}})) == 131070);
    CHECK(item(mean(x)) == 0x1p64 / 3);
    CHECK(item(max(x)) == top);
    CHECK(item(min(x)) == 1);
    CHECK(item(argmax(x)) == 0);
    CHECK(item(sum<double>(x)) == 0x1p64);
    CHECK(to_string(cumprod(vector_u64{top, u64{1}})) ==
          "[9223372036854775808 9223372036854775808]");
    CHECK(to_string(nansum(x)) == "0");
    CHECK(item(nanmax(x)) == top);
  });
}

TEST_CASE("int16, uint16 and uint64 are sorted by value") {
  each<tested>([]<class T>() {
    auto values = edge_values<T>();
    auto const n = static_cast<index_t>(values.size());
    on_each_device([&](device) {
      auto expected = values;
      auto const x = tensor_of(values, shape(n));
      std::sort(expected.begin(), expected.end());
      CHECK(differences(tensor(sort(x)), expected) == no_differences);
      auto const unique_values = unique(x);
      CHECK(unique_values.size() == values.size());
      CHECK(item(topk(x, 1)(0)) == expected.back());
      std::reverse(expected.begin(), expected.end());
      CHECK(differences(tensor(sort(x, descending)), expected) == no_differences);
    });
  });
}

TEST_CASE("a matrix product of int16 and uint64 wraps") {
  on_each_device([](device) {
    tensor<i16, dextents<2>> const a{{i16{300}, i16{1}}, {i16{-300}, i16{2}}};
    CHECK(to_string(matmul(a, a)) == "[[24164 302]\n [-25064 -296]]");
    tensor<u64, dextents<2>> const b{{top, u64{1}}, {u64{2}, most}};
    CHECK(to_string(matmul(b, b)) == "[[2 9223372036854775807]\n [18446744073709551614 3]]");
  });
}

TEST_CASE("a uint64 beside a signed integer does not compute, beside a number it does") {
  vector_u64 const x{u64{1}, most};
  CHECK(to_string(x > 1) == "[False True]");
  CHECK(
      error_message<invalid_argument>([&] { tensor const y = x + -1; }) ==
      "placement: the number -1 does not fit the element type uint64 of the tensor beside it. Write "
      "cast<T>(x) to compute in a wider type.");
  CHECK(error_message<invalid_argument>([&] {
          vector16 const y = vector16{1, 2} + 32768;
        }).find("element type int16") != std::string::npos);
}

TEST_CASE("indices may be int16, uint16 and uint64") {
  on_each_device([](device) {
    tensor const x{10.f, 20.f, 30.f};
    CHECK(to_string(gather(x, vector_u64{u64{2}, u64{0}})) == "[30 10]");
    CHECK(to_string(take(x, vector16{i16{-1}, i16{1}})) == "[30 20]");
    CHECK(to_string(one_hot<int>(tensor<u16, dextents<1>>{u16{1}, u16{7}}, 2)) ==
          "[[0 1]\n [0 0]]");
    CHECK(to_string(one_hot<int>(vector_u64{most, u64{1}}, 2)) == "[[0 0]\n [0 1]]");
  });
  CHECK_THROWS_AS(tensor(take(tensor{1.f, 2.f}, vector_u64{most})), shape_error);
  CHECK(to_string(bincount(vector_u64{u64{1}, u64{1}, u64{3}})) == "[0 2 0 1]");
  CHECK_THROWS_AS(bincount(vector_u64{most}), invalid_argument);
}

TEST_CASE("int16 and uint64 are made, printed and exported") {
  CHECK(to_string(iota(3, i16{32766})) == "[32766 32767 -32768]");
  CHECK(to_string(arange(most - 2, most)) == "[18446744073709551613 18446744073709551614]");
  CHECK(array2string(vector_u64{u64{5}, most}) == "[                   5 18446744073709551615]");
  CHECK(element_name<i16>() == "int16");
  CHECK(element_name<u16>() == "uint16");
  CHECK(element_name<unsigned long>() == "uint64");
  CHECK(element_name<unsigned long long>() == "uint64");
  CHECK(item(median(vector16{i16{1}, i16{2}})) == 1.5);
  vector16 const x{i16{1}, i16{-2}};
  auto* const out = to_dlpack(x);
  CHECK(out->tensor.type.code == dlpack::signed_int);
  CHECK(out->tensor.type.bits == 16);
  CHECK(to_string(from_dlpack<i16, dextents<1>>(out)) == "[1 -2]");
}
