// float16 and bfloat16 on a GPU, against the CPU. Results computed in float and rounded have the
// same bits. Functions that GPUs compute differently differ by at most one value.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

using namespace placement;

namespace {

/// The distance from one value of T to the next, in ulps of float.
template <class T>
constexpr std::uint64_t one = std::uint64_t{1} << (24 - std::numeric_limits<T>::digits);

template <class T> tensor<T, dextents<1>> all_numbers() {
  std::vector<T> v;
  for (unsigned b = 0; b != 0x10000; ++b) v.push_back(T::from_bits(static_cast<std::uint16_t>(b)));
  with_device const scope(cpu0);
  return from(v);
}
/// The bits of numbers that lie between two of T: near each, halfway and near the next.
template <class T> std::vector<float> between_numbers() {
  constexpr int dropped = 24 - std::numeric_limits<T>::digits;
  std::vector<float> v;
  for (unsigned b = 0; b != 0x10000; ++b) {
    float const x = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(b)));
    auto const bits = std::bit_cast<std::uint32_t>(x);
    std::uint32_t const half = 1u << (dropped - 1);
    for (std::uint32_t more : {1u, half - 1, half, half + 1, 2 * half - 1})
      if (x == x) v.push_back(std::bit_cast<float>(bits + more));
  }
  return v;
}
template <class T> void check_type() {
  INFO("element type " << element_name<T>());
  auto const x = all_numbers<T>();
  auto const y = tensor(on(cpu0, reverse(x, axis<0>)));
  auto const floats = some_tensor<float>(shape(70'001));
  auto const doubles = some_tensor<double>(shape(70'001));
  auto const longs = some_tensor<std::int64_t>(shape(70'001));
  check_expression(0, [&] { return cast<float>(x); });
  check_expression(0, [&] { return cast<int>(x); });
  check_expression(0, [&] { return cast<float>(cast<T>(floats)); });
  check_expression(0, [&] { return cast<float>(cast<T>(doubles)); });
  check_expression(0, [&] { return cast<float>(cast<T>(longs)); });
  check_expression(0, [&] { return cast<float>(x + y); });
  check_expression(0, [&] { return cast<float>(x * y - x / 3); });
  check_expression(0, [&] { return cast<float>(sqrt(x)); });
  check_expression(0, [&] { return x < y; });
  check_expression(one<T>, [&] { return cast<float>(exp(x)); });
  check_expression(0, [&] { return cast<float>(sort(x)); });
  check_expression(0, [&] { return argmax(y); });
  auto const plain = tensor(on(cpu0, cast<T>(plain_tensor<float>(shape(129, 130)))));
  check_expression(0, [&] { return cast<float>(max(plain, axis<0>)); });
  check_expression(one<T>, [&] { return cast<float>(mean(abs(plain), axis<1>)); });
  check_expression(2 * one<T>, [&] { return cast<float>(softmax(plain)); });
  check_expression(one<T>, [&] { return cast<float>(matmul(abs(plain), transpose(abs(plain)))); });
}

}  // namespace

TEST_CASE("each 16-bit float has the same results on a GPU as on the CPU", "[small]") {
  need_gpu();
  check_type<float16>();
  check_type<bfloat16>();
}

TEST_CASE("rounding to 16 bits gives the CPU's bits between each two numbers, and keeps NaN",
          "[small]") {
  need_gpu();
  auto const check_rounding = [&]<class T>(T) {
    INFO("element type " << element_name<T>());
    auto const x = [] {
      with_device const scope(cpu0);
      return from(between_numbers<T>());
    }();
    check_expression(0, [&] { return cast<float>(cast<T>(x)); });
  };
  check_rounding(float16{});
  check_rounding(bfloat16{});
}
