// float16 and bfloat16 against the CPU. Each op is computed in float and rounded once. Arithmetic
// gives the same bits, and functions differ by at most one 16-bit value.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>

using namespace placement;

namespace {

/// One ulp of T in ulps of float.
template <class T> inline constexpr std::uint64_t one_ulp = 1 << 16;
template <> inline constexpr std::uint64_t one_ulp<float16> = 1 << 13;

template <class T, class X> tensor<T, X> narrow(X const& s, std::uint32_t seed = 1) {
  auto const wide = plain_tensor<float>(s, seed);
  with_device const scope(cpu0);
  return cast<T>(wide);
}
/// compute() returns an expression of T.
template <class F> void check_as_float(std::uint64_t ulps, F const& compute) {
  check_expression(ulps, [&] { return cast<float>(compute()); });
}
template <class T> void check_type() {
  INFO("element type " << element_name<T>());
  auto const x = narrow<T>(shape(37, 131), 1), y = narrow<T>(shape(37, 131), 2);
  auto const row = narrow<T>(shape(131), 3);
  check_as_float(0, [&] { return x + y; });
  check_as_float(0, [&] { return x * y; });
  check_as_float(0, [&] { return x / y; });
  check_as_float(0, [&] { return relu(x + row); });
  check_as_float(0, [&] { return -abs(x); });
  check_expression(0, [&] { return x < y; });
  check_as_float(one_ulp<T>, [&] { return exp(x); });
  check_as_float(one_ulp<T>, [&] { return tanh(x); });
  check_as_float(one_ulp<T>, [&] { return sum(x); });
  check_as_float(one_ulp<T>, [&] { return mean(x, axis<0>); });
  check_as_float(0, [&] { return max(x, axis<1>); });
  check_as_float(one_ulp<T>, [&] { return softmax(x); });
  auto const a = narrow<T>(shape(33, 20), 4), b = narrow<T>(shape(20, 17), 5);
  check_as_float(one_ulp<T>, [&] { return matmul(a, b); });
}

}  // namespace

TEST_CASE("float16 results on a GPU match the CPU") {
  need_gpu();
  check_type<float16>();
}
TEST_CASE("bfloat16 results on a GPU match the CPU") {
  need_gpu();
  check_type<bfloat16>();
}
