// gpus: 0
// env: [any] PLACEMENT_CPU_LEVEL=baseline
// env: [any] PLACEMENT_CPU_LEVEL=x86-64-v3
// env: [any] PLACEMENT_CPU_LEVEL=x86-64-v4
// env: [malformed] PLACEMENT_CPU_LEVEL=avx9
// The level of the loops that are compiled for several processors.
#include <placement/device/environment.hpp>
#include <placement/ops/array_equal.hpp>
#include <placement/placement.hpp>
#if defined(LIBRARY_WITHOUT_LEVELS)
#  include <placement/src/all.ipp>
#endif
#include <support/ulps.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace placement;
using detail::cpu_level;

namespace {

/// The largest difference between a product of floats in [0, 1) and the same product of doubles.
double largest_error(index_t m, index_t k, index_t n) {
  matrix<float> const a = uniform<float>(shape(m, k)), b = uniform<float>(shape(k, n));
  matrix<float> const x = matmul(a, b);
  matrix<double> const y = matmul(cast<double>(a), cast<double>(b));
  tensor<double, extents<>> const error = max(abs(cast<double>(x) - y));
  return item(error);
}

bool is_near(double a, double b) {
  if (std::isinf(b)) return a == b;
  return std::isnan(b) ? std::isnan(a) : std::abs(a - b) <= 1e-6 * std::abs(b);
}

}  // namespace

TEST_CASE("products use the level of the environment, or the machine's if that is lower", "[any]") {
  auto const requested = static_cast<cpu_level>(environment_variables().cpu_level.value());
  CHECK(detail::cpu_level_in_use() == std::min(requested, detail::cpu_level_of_machine()));
  auto const* const loops = &detail::loops_of_processor<float>();
  if (PLACEMENT_HAS_LEVELS && PLACEMENT_X86_LEVEL == 1) {
    CHECK((loops == &detail::table_of_loops<float, detail::loops_of_file<float>>) ==
          (detail::cpu_level_in_use() == cpu_level::baseline));
    CHECK((loops == &detail::table_of_loops<float, detail::loops_for_avx512<float>>) ==
          (detail::cpu_level_in_use() == cpu_level::avx512));
  }
}

TEST_CASE("products of floats are near those of doubles at each level", "[any]") {
  for (index_t n : {1, 3, 8, 9, 31, 200})
    for (index_t k : {1, 4, 50, 700}) {
      INFO(k << " x " << n);
      double const magnitude = static_cast<double>(k), bound = magnitude * 0x1p-24 * magnitude;
      CHECK(largest_error(n, k, n) <= bound);
      CHECK(largest_error(70, k, n) <= bound);
    }
}

namespace {

/// The largest distance of f(x) from `exact`, in units in the last place of float.
template <class X> double ulps_from(X const& f, tensor<double, dextents<1>> const& exact) {
  tensor<float, dextents<1>> const y = f;
  double most = 0;
  for (index_t i = 0; i != exact.shape().at(0); ++i) {
    double const e = exact.data()[i];
    double const unit = std::ldexp(1., std::max(std::ilogb(e), -126) - 23);
    most = std::max(most, std::abs(static_cast<double>(y.data()[i]) - e) / unit);
  }
  return most;
}

}  // namespace

TEST_CASE("functions have the accuracy of docs/math.md at each level", "[any]") {
  tensor<float, dextents<1>> const x = uniform<float>(shape(5003), -9.f, 9.f), p = exp(x);
  tensor<double, dextents<1>> const d = cast<double>(x), q = cast<double>(p);
  CHECK(ulps_from(exp(x), exp(d)) <= 2);
  CHECK(ulps_from(log(p), log(q)) <= 1);
  CHECK(ulps_from(expm1(x), expm1(d)) <= 2);
  CHECK(ulps_from(log1p(p), log1p(q)) <= 2);
  CHECK(ulps_from(tanh(x), tanh(d)) <= 2);
  CHECK(ulps_from(sigmoid(x), sigmoid(d)) <= 2);
  CHECK(ulps_from(erf(x), erf(d)) <= 1.5);
  CHECK(ulps_from(sin(x), sin(d)) <= 2);
  CHECK(ulps_from(cos(x * 1e6f), cos(cast<double>(x * 1e6f))) <= 2);
  CHECK(ulps_from(pow(p, x), pow(q, d)) <= 1);
  CHECK(ulps_from(exp2(x), exp2(d)) <= 2);
  CHECK(ulps_from(log2(p), log2(q)) <= 2);
  CHECK(ulps_from(log10(p), log10(q)) <= 2);
  CHECK(ulps_from(cbrt(x), cbrt(d)) <= 2);
  CHECK(ulps_from(erfc(x), erfc(d)) <= 2);
  CHECK(ulps_from(tan(x), tan(d)) <= 2);
  CHECK(ulps_from(tan(x * 1e6f), tan(cast<double>(x * 1e6f))) <= 2);
  tensor<float, dextents<1>> const s = x * (1.f / 9);
  tensor<double, dextents<1>> const t = cast<double>(s);
  CHECK(ulps_from(asin(s), asin(t)) <= 2);
  CHECK(ulps_from(acos(s), acos(t)) <= 2);
  CHECK(ulps_from(atan(x), atan(d)) <= 2);
  CHECK(ulps_from(asinh(x), asinh(d)) <= 2);
  CHECK(ulps_from(acosh(p + 1.f), acosh(cast<double>(p + 1.f))) <= 2);
  CHECK(ulps_from(atanh(s), atanh(t)) <= 2);
  CHECK(ulps_from(sinh(x), sinh(d)) <= 2);
  CHECK(ulps_from(cosh(x), cosh(d)) <= 2);
  CHECK(ulps_from(atan2(x, p), atan2(d, q)) <= 2);
  CHECK(ulps_from(hypot(x, p), hypot(d, q)) <= 1.5);
  CHECK(ulps_from(logaddexp(x, p), logaddexp(d, q)) <= 2);
}

TEST_CASE("log, log2 and sigmoid of doubles are accurate at each level", "[any]") {
  constexpr index_t n = 5003;
  tensor<double, dextents<1>> const x = uniform<double>(shape(n), -40., 40.), p = exp(x);
  tensor<double, dextents<1>> const y = log(p), z = log2(p), s = sigmoid(x);
  double worst_log = 0, worst_log2 = 0, worst_sigmoid = 0;
  for (index_t i = 0; i != n; ++i) {
    auto const a = static_cast<long double>(p.data()[i]), b = static_cast<long double>(x.data()[i]);
    worst_log = std::max(worst_log, ulps_apart(y.data()[i], std::log(a)));
    worst_log2 = std::max(worst_log2, ulps_apart(z.data()[i], std::log2(a)));
    worst_sigmoid = std::max(worst_sigmoid, ulps_apart(s.data()[i], 1 / (1 + std::exp(-b))));
  }
  CHECK(worst_log <= 1);
  CHECK(worst_log2 <= 1.5);
  CHECK(worst_sigmoid <= 1.5);
}

TEST_CASE("logarithms of a block with other than positive normal numbers, at each level", "[any]") {
  auto const check = []<class T>(T least) {
    constexpr T inf = std::numeric_limits<T>::infinity();
    T const denormal = least / 4;
    for (T const odd :
         {T(0), T(-0.), -least, -inf, T(-1), inf, denormal, -denormal,
          std::numeric_limits<T>::quiet_NaN(), least, std::numeric_limits<T>::max()}) {
      tensor<T, dextents<1>> x = from(std::vector<T>(100, T(2)));
      x.data()[37] = odd;
      tensor<T, dextents<1>> const y = log(x), z = log2(x);
      INFO(odd);
      CHECK(is_near(static_cast<double>(y.data()[37]), static_cast<double>(std::log(odd))));
      CHECK(is_near(static_cast<double>(z.data()[37]), static_cast<double>(std::log2(odd))));
      CHECK(z.data()[36] == 1);
      CHECK(z.data()[38] == 1);
    }
  };
  check(std::numeric_limits<float>::min());
  check(std::numeric_limits<double>::min());
}

TEST_CASE("elements have the same bits in each position and expression, at each level", "[any]") {
  constexpr index_t n = 700;
  tensor<float, dextents<1>> const x = uniform<float>(shape(n), -3.f, 3.f);
  tensor<float, dextents<1>> const y = exp(x), t = tanh(x + 1.f),
                                   fused = exp(x) * 2.f - tanh(x + 1.f),
                                   nested = pow(exp(x), sin(exp(x) * 1e5f));
  CHECK(array_equal(fused, y * 2.f - t));
  tensor<float, dextents<1>> const s = sin(y * 1e5f), in_two = pow(y, s);
  CHECK(array_equal(nested, in_two));
  tensor<float, dextents<1>> in_place = x;
  in_place = tanh(in_place + 1.f);
  CHECK(array_equal(in_place, t));
  for (index_t from : {1, 5, 255, 690}) {
    tensor<float, dextents<1>> const part = slice(x, range{from, n});
    tensor<float, dextents<1>> const of_part = exp(part);
    CHECK(std::equal(of_part.data(), of_part.data() + n - from, y.data() + from));
  }
}

TEST_CASE("large angles and special numbers are those of one element, at each level", "[any]") {
  float const inf = std::numeric_limits<float>::infinity();
  tensor<float, dextents<1>> const x{0.f, -0.f, inf, -inf, 1e30f, 3e9f, 2.f, -inf + inf};
  tensor<float, dextents<1>> const y = sin(x), e = exp(x);
  tensor<double, dextents<1>> const d = cast<double>(x), z = cos(d * 1e6);
  for (index_t i = 0; i != x.shape().at(0); ++i) {
    auto const number = static_cast<double>(x.data()[i]);
    CHECK(is_near(static_cast<double>(y.data()[i]), std::sin(number)));
    CHECK(is_near(z.data()[i], std::cos(number * 1e6)));
  }
  CHECK((e.data()[0] == 1 && e.data()[2] == inf && e.data()[3] == 0 && std::isnan(e.data()[7])));
  CHECK((std::signbit(y.data()[1]) && !std::signbit(y.data()[0])));
}

TEST_CASE("without the variable the machine's level is used") {
  CHECK(detail::cpu_level_in_use() == detail::cpu_level_of_machine());
}

TEST_CASE("a malformed level leaves products at the machine's, and configuration reports it",
          "[malformed]") {
  CHECK(detail::cpu_level_in_use() == detail::cpu_level_of_machine());
  std::string message;
  try {
    (void)environment_variables();
  } catch (invalid_argument const& e) { message = e.what(); }
  CHECK(message ==
        "The environment variable PLACEMENT_CPU_LEVEL is 'avx9'; it must be baseline, x86-64-v3 or "
        "x86-64-v4");
}
