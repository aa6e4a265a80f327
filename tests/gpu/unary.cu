// Each op of one operand, for each element type that it takes, against the CPU. The allowed
// distance is the sum of the error bounds of the CUDA Programming Guide and of the CPU's functions.
#include <placement/ops/heaviside.hpp>
#include <placement/ops/nan_to_num.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>

using namespace placement;

namespace {

constexpr index_t n = 5003;  // not a multiple of a vector or a block

template <class T, class Op> void check_op(std::uint64_t ulps, Op op) {
  INFO("element type " << element_name<T>());
  auto const x = some_tensor<T>(shape(n));
  check_expression(ulps, [&] { return op(x); });
}
template <class List, class Op> void check_types(std::uint64_t ulps, Op op) {
  each<List>([&]<class T>() { check_op<T>(ulps, op); });
}

}  // namespace

TEST_CASE("abs, negative, relu, sign and square on a GPU match the CPU", "[small]") {
  need_gpu();
  check_types<numbers>(0, [](auto const& x) { return abs(x); });
  check_types<types<std::int8_t, int, std::int64_t, float, double>>(
      0, [](auto const& x) { return -x; });
  check_types<numbers>(0, [](auto const& x) { return relu(x); });
  check_types<numbers>(0, [](auto const& x) { return sign(x); });
  check_types<numbers>(0, [](auto const& x) { return square(x); });
}

TEST_CASE("rounding, roots and tests of numbers on a GPU match the CPU to the bit") {
  need_gpu();
  check_types<floats>(0, [](auto const& x) { return floor(x); });
  check_types<floats>(0, [](auto const& x) { return ceil(x); });
  check_types<floats>(0, [](auto const& x) { return trunc(x); });
  check_types<floats>(0, [](auto const& x) { return round(x); });
  check_types<floats>(0, [](auto const& x) { return sqrt(x); });
  check_types<floats>(0, [](auto const& x) { return reciprocal(x); });
  check_types<floats>(0, [](auto const& x) { return is_nan(x); });
  check_types<floats>(0, [](auto const& x) { return is_finite(x); });
  check_types<floats>(0, [](auto const& x) { return is_inf(x); });
  check_types<floats>(0, [](auto const& x) { return signbit(x); });
  check_types<floats>(0, [](auto const& x) { return copysign(x, x - 1); });
  check_types<floats>(0, [](auto const& x) { return heaviside(x, x + 2); });
  check_types<floats>(0, [](auto const& x) { return nan_to_num(x); });
  check_op<bool>(0, [](auto const& x) { return !x; });
}

TEST_CASE("exponentials and logarithms on a GPU match the CPU within 4 ulp", "[small]") {
  need_gpu();
  check_types<floats>(4, [](auto const& x) { return exp(x); });
  check_types<floats>(4, [](auto const& x) { return expm1(x); });
  check_types<floats>(4, [](auto const& x) { return log(x); });
  check_types<floats>(4, [](auto const& x) { return log1p(x); });
  check_types<floats>(4, [](auto const& x) { return rsqrt(x); });
}

TEST_CASE("tan, hyperbolic functions, angles and roots on a GPU match the CPU within 4 ulp") {
  need_gpu();
  check_types<floats>(4, [](auto const& x) { return exp2(x); });
  check_types<floats>(4, [](auto const& x) { return log2(x); });
  check_types<floats>(4, [](auto const& x) { return log10(x); });
  check_types<floats>(4, [](auto const& x) { return cbrt(x); });
  check_types<floats>(4, [](auto const& x) { return erfc(x); });
  check_types<floats>(4, [](auto const& x) { return tan(x); });
  check_types<floats>(4, [](auto const& x) { return asin(x); });
  check_types<floats>(4, [](auto const& x) { return acos(x); });
  check_types<floats>(4, [](auto const& x) { return atan(x); });
  check_types<floats>(4, [](auto const& x) { return asinh(x); });
  check_types<floats>(4, [](auto const& x) { return acosh(x); });
  check_types<floats>(4, [](auto const& x) { return atanh(x); });
  check_types<floats>(4, [](auto const& x) { return sinh(x); });
  check_types<floats>(4, [](auto const& x) { return cosh(x); });
  check_types<floats>(4, [](auto const& x) { return atan2(x, x + 1); });
  check_types<floats>(4, [](auto const& x) { return hypot(x, x * 2); });
  check_types<floats>(4, [](auto const& x) { return logaddexp(abs(x), x * 2); });
}

TEST_CASE("sin, cos, tanh and erf on a GPU match the CPU within 4 ulp, sigmoid within 6") {
  need_gpu();
  check_types<floats>(4, [](auto const& x) { return sin(x); });
  check_types<floats>(4, [](auto const& x) { return cos(x); });
  check_types<floats>(4, [](auto const& x) { return tanh(x); });
  check_types<floats>(4, [](auto const& x) { return erf(x); });
  check_types<floats>(6, [](auto const& x) { return sigmoid(x); });
}

TEST_CASE("casts between element types on a GPU match the CPU") {
  need_gpu();
  auto const between = []<class From, class To>(types<From>, types<To>) {
    auto const x = plain_tensor<From>(shape(n));
    check_expression(0, [&] { return cast<To>(x); });
  };
  between(types<float>{}, types<double>{});
  between(types<float>{}, types<int>{});
  between(types<float>{}, types<std::int8_t>{});
  between(types<double>{}, types<float>{});
  between(types<double>{}, types<std::int64_t>{});
  auto const whole = some_tensor<int>(shape(n));
  check_expression(0, [&] { return cast<float>(whole); });
  check_expression(0, [&] { return cast<double>(whole); });
  check_expression(0, [&] { return cast<bool>(whole); });
  check_expression(0, [&] { return cast<std::uint8_t>(whole); });
  auto const yes = some_tensor<bool>(shape(n));
  check_expression(0, [&] { return cast<float>(yes); });
}
