// Functions of one or two numbers, against plain loops over the standard library's functions.
#include <placement/expr/evaluate.hpp>
#include <placement/ops/abs.hpp>
#include <placement/ops/acos.hpp>
#include <placement/ops/acosh.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/asin.hpp>
#include <placement/ops/asinh.hpp>
#include <placement/ops/atan.hpp>
#include <placement/ops/atan2.hpp>
#include <placement/ops/atanh.hpp>
#include <placement/ops/cbrt.hpp>
#include <placement/ops/ceil.hpp>
#include <placement/ops/cos.hpp>
#include <placement/ops/cosh.hpp>
#include <placement/ops/erf.hpp>
#include <placement/ops/erfc.hpp>
#include <placement/ops/exp.hpp>
#include <placement/ops/exp2.hpp>
#include <placement/ops/expm1.hpp>
#include <placement/ops/floor.hpp>
#include <placement/ops/hypot.hpp>
#include <placement/ops/is_finite.hpp>
#include <placement/ops/is_nan.hpp>
#include <placement/ops/log.hpp>
#include <placement/ops/log10.hpp>
#include <placement/ops/log1p.hpp>
#include <placement/ops/log2.hpp>
#include <placement/ops/logaddexp.hpp>
#include <placement/ops/next_after.hpp>
#include <placement/ops/ones.hpp>
#include <placement/ops/pow.hpp>
#include <placement/ops/reciprocal.hpp>
#include <placement/ops/relu.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/round.hpp>
#include <placement/ops/rsqrt.hpp>
#include <placement/ops/sigmoid.hpp>
#include <placement/ops/sign.hpp>
#include <placement/ops/sin.hpp>
#include <placement/ops/sinh.hpp>
#include <placement/ops/sqrt.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/tan.hpp>
#include <placement/ops/tanh.hpp>
#include <placement/ops/trunc.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>
#include <support/ulps.hpp>

using namespace placement;

TEST_CASE(
    "abs, sign, square and relu keep the element type; the lowest integer stays its own abs") {
  each<numbers>([]<class T>() {
    check_unary<T>([](auto const& x) { return abs(x); },
                   [](T x) {
                     if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
                     else
                       return x < T(1) ? wrapped(T(0), x, [](auto a, auto b) { return a - b; }) : x;
                   });
    check_unary<T>([](auto const& x) { return sign(x); },
                   [](T x) {
                     if (x > T(0)) return T(1);
                     if constexpr (!std::is_unsigned_v<T>)
                       if (x < T(0)) return T(-1);
                     return x;
                   });
    check_unary<T>([](auto const& x) { return square(x); },
                   [](T x) {
                     if constexpr (std::is_floating_point_v<T>) return x * x;
                     else return wrapped(x, x, [](auto a, auto b) { return a * b; });
                   });
    check_unary<T>([](auto const& x) { return relu(x); }, [](T x) { return x <= T(0) ? T(0) : x; });
  });
}

TEST_CASE("exponentials, logarithms and roots match the standard library within some ulps") {
  each<floats>([]<class T>() {
    check_near<T>([](auto const& x) { return exp(x); }, [](long double x) { return std::exp(x); });
    check_near<T>([](auto const& x) { return expm1(x); },
                  [](long double x) { return std::expm1(x); });
    check_near<T>([](auto const& x) { return log(x); }, [](long double x) { return std::log(x); });
    check_near<T>([](auto const& x) { return log1p(x); },
                  [](long double x) { return std::log1p(x); });
    check_unary<T>([](auto const& x) { return sqrt(x); }, [](T x) { return std::sqrt(x); });
    check_near<T>([](auto const& x) { return rsqrt(x); },
                  [](long double x) { return 1 / std::sqrt(x); });
    check_unary<T>([](auto const& x) { return reciprocal(x); }, [](T x) { return 1 / x; });
  });
}

TEST_CASE("tanh, erf, sin and cos match the standard library within some ulps") {
  each<floats>([]<class T>() {
    check_near<T>([](auto const& x) { return tanh(x); },
                  [](long double x) { return std::tanh(x); });
    check_near<T>([](auto const& x) { return erf(x); }, [](long double x) { return std::erf(x); });
    check_near<T>([](auto const& x) { return sin(x); }, [](long double x) { return std::sin(x); });
    check_near<T>([](auto const& x) { return cos(x); }, [](long double x) { return std::cos(x); });
  });
}

TEST_CASE(
    "tan, hyperbolic functions, angles and roots match the standard library within some ulps") {
  each<floats>([]<class T>() {
    check_near<T>([](auto const& x) { return exp2(x); },
                  [](long double x) { return std::exp2(x); });
    check_near<T>([](auto const& x) { return log2(x); },
                  [](long double x) { return std::log2(x); });
    check_near<T>([](auto const& x) { return log10(x); },
                  [](long double x) { return std::log10(x); });
    check_near<T>([](auto const& x) { return cbrt(x); },
                  [](long double x) { return std::cbrt(x); });
    check_near<T>([](auto const& x) { return erfc(x); },
                  [](long double x) { return std::erfc(x); });
    check_near<T>([](auto const& x) { return tan(x); }, [](long double x) { return std::tan(x); });
    check_near<T>([](auto const& x) { return asin(x); },
                  [](long double x) { return std::asin(x); });
    check_near<T>([](auto const& x) { return acos(x); },
                  [](long double x) { return std::acos(x); });
    check_near<T>([](auto const& x) { return atan(x); },
                  [](long double x) { return std::atan(x); });
    check_near<T>([](auto const& x) { return asinh(x); },
                  [](long double x) { return std::asinh(x); });
    check_near<T>([](auto const& x) { return acosh(x); },
                  [](long double x) { return std::acosh(x); });
    check_near<T>([](auto const& x) { return atanh(x); },
                  [](long double x) { return std::atanh(x); });
    check_near<T>([](auto const& x) { return sinh(x); },
                  [](long double x) { return std::sinh(x); });
    check_near<T>([](auto const& x) { return cosh(x); },
                  [](long double x) { return std::cosh(x); });
  });
}

TEST_CASE("atan2 and hypot match the standard library, with numbers and rows") {
  each<evaluated_floats>([]<class T>() {
    std::vector<T> const a{T(-3), T(-0.5), T(0), T(2), T(1e30), T(1e-30)};
    std::vector<T> const b{T(4), T(-2), T(-1), T(0), T(1e30), T(1e-30)};
    tensor const y = from(a), x = from(b);
    tensor const angle = atan2(y, x), length = hypot(y, x), with_number = hypot(y, T(4));
    for (std::size_t i = 0; i != a.size(); ++i) {
      auto const v = static_cast<long double>(a[i]), w = static_cast<long double>(b[i]);
      CHECK(ulps_apart(angle.data()[i], std::atan2(v, w)) <= (sizeof(T) == 4 ? 2 : 1.5));
      CHECK(ulps_apart(length.data()[i], std::hypot(v, w)) <= 1.5);
      CHECK(ulps_apart(with_number.data()[i], std::hypot(v, 4.L)) <= 1.5);
    }
    tensor const table = hypot(reshape(y, shape(6, 1)), x);
    CHECK(table.shape() == shape(6, 6));
    CHECK(table.data()[0] == 5);
    CHECK(table.data()[3] == 3);
  });
}

TEST_CASE("logaddexp is log(exp(x) + exp(y)), with numbers and rows, without overflow") {
  each<evaluated_floats>([]<class T>() {
    std::vector<T> const a{T(-3), T(-0.5), T(0), T(2), T(1e30), T(-1e30)};
    std::vector<T> const b{T(4), T(-2), T(-1), T(0), T(1e30), T(2)};
    tensor const x = from(a), y = from(b), z = logaddexp(x, y), with_number = logaddexp(T(4), x);
    auto const exact = [](T v, T w) {
      auto const larger = static_cast<long double>(std::max(v, w));
      return larger + std::log1p(std::exp(static_cast<long double>(std::min(v, w)) - larger));
    };
    for (std::size_t i = 0; i != a.size(); ++i) {
      CHECK(ulps_apart(z.data()[i], exact(a[i], b[i])) <= 2);
      CHECK(ulps_apart(with_number.data()[i], exact(T(4), a[i])) <= 2);
    }
    CHECK(tensor(logaddexp(reshape(x, shape(6, 1)), y)).shape() == shape(6, 6));
  });
}

TEST_CASE("floor, ceil, trunc and round give whole numbers; round takes halves to even") {
  each<floats>([]<class T>() {
    check_unary<T>([](auto const& x) { return floor(x); }, [](T x) { return std::floor(x); });
    check_unary<T>([](auto const& x) { return ceil(x); }, [](T x) { return std::ceil(x); });
    check_unary<T>([](auto const& x) { return trunc(x); }, [](T x) { return std::trunc(x); });
    check_unary<T>([](auto const& x) { return round(x); }, [](T x) { return std::rint(x); });
  });
  tensor const halves{-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f};
  CHECK(differences(tensor(round(halves)), {-2.f, -2.f, -0.f, 0.f, 2.f, 2.f}) == no_differences);
}

TEST_CASE("is_nan and is_finite distinguish NaN, infinities and numbers") {
  each<floats>([]<class T>() {
    check_unary<T>([](auto const& x) { return is_nan(x); }, [](T x) { return std::isnan(x); });
    check_unary<T>([](auto const& x) { return is_finite(x); },
                   [](T x) { return std::isfinite(x); });
  });
}

TEST_CASE("sigmoid neither overflows nor loses small values, and propagates NaN") {
  each<evaluated_floats>([]<class T>() {
    T const huge = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
    std::vector<T> const x{T(-30), T(-1), T(-0.25), T(0), T(0.25), T(1), T(30)};
    on_each_device([&](device) {
      tensor const y = sigmoid(from(x));
      auto const h = y.read();
      for (std::size_t i = 0; i != x.size(); ++i) {
        long double const exact = 1 / (1 + std::exp(-static_cast<long double>(x[i])));
        INFO("sigmoid(" << x[i] << ")");
        CHECK(std::fabs(h[i] - exact) <= 4 * std::numeric_limits<T>::epsilon() * exact);
      }
      std::vector<T> const edges{huge, -huge, inf, -inf, std::numeric_limits<T>::quiet_NaN()};
      CHECK(differences(tensor(sigmoid(from(edges))), {T(1), T(0), T(1), T(0), edges[4]}) ==
            no_differences);
    });
  });
}

namespace {

/// x to the power of n by squaring, wrapping.
template <class T> T product(T x, std::uint64_t n) {
  if (n == 0) return T(1);
  T const half = product(x, n / 2);
  auto times = [](auto a, auto b) { return a * b; };
  T const even = wrapped(half, half, times);
  return n % 2 == 0 ? even : wrapped(even, x, times);
}

}  // namespace

TEST_CASE("pow of integers multiplies and wraps; a negative power is zero except for 1 and -1") {
  each<integers>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return pow(x, y); },
                    [](T x, T y) {
                      if constexpr (std::is_signed_v<T>)
                        if (y < 0)
                          return x == 1 ? T(1) : x == -1 ? (y % 2 == 0 ? T(1) : T(-1)) : T(0);
                      return product(x, static_cast<std::uint64_t>(y));
                    });
  });
  tensor<int, dextents<1>> const x{2, -3, 10, 0};
  CHECK(differences(tensor(pow(x, 3)), {8, -27, 1000, 0}) == no_differences);
  CHECK(differences(tensor(pow(x, 0)), {1, 1, 1, 1}) == no_differences);
}

TEST_CASE("pow of floating point is within 2 ulp for every pair of edge values") {
  each<evaluated_floats>([]<class T>() {
    auto const values = edge_values<T>();
    auto const n = static_cast<index_t>(values.size());
    on_each_device([&](device) {
      tensor const x = tensor_of(values, shape(n, 1)), y = tensor_of(values, shape(1, n));
      tensor<T, dextents<2>> const broadcast = pow(x, y), equal = pow(x * ones<T>(n, n), y);
      auto const h = broadcast.read();
      for (std::size_t i = 0; i != h.size(); ++i) {
        T const of = values[i / values.size()], to = values[i % values.size()];
        INFO(of << " to the power of " << to << " is " << h[i]);
        CHECK(ulps_apart(
                  h[i], std::pow(static_cast<long double>(of), static_cast<long double>(to))) <= 2);
      }
      CHECK(differences(equal, std::vector<T>(h.begin(), h.end())) == no_differences);
    });
  });
}

TEST_CASE("next_after has no GPU kernel, runs on the CPU, and logs that once per line") {
  log_lines lines;
  each<floats>([]<class T>() {
    check_binary<T, runs::on_the_cpu>([](auto const& x, auto const& y) { return next_after(x, y); },
                                      [](T x, T y) { return std::nextafter(x, y); });
  });
  auto const said = lines.take_all();
  REQUIRE(!said.empty());
  CHECK(said[0].find("NextAfter<float>") != said[0].npos);
  CHECK(said[0].find("no GPU kernel for this op and element type") != said[0].npos);
}

TEST_CASE("sin and cos of large and small angles in one tensor match those of single angles") {
  each<evaluated_floats>([]<class T>() {
    for (index_t n : {1, 63, 64, 65, 200, 3000})
      for (index_t far : {index_t{0}, n / 2, n - 1}) {
        std::vector<T> v(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<T>(i * 37 % 101) / 8 - 5;
        v[static_cast<std::size_t>(far)] = static_cast<T>(1e30);
        with_device scope(cpu<0>);
        tensor const x = from(v);
        auto const y = tensor(sin(x)).read(), z = tensor(sin(x) * T(2) + cos(sin(T(3) * x))).read();
        T const few = std::numeric_limits<T>::epsilon();
        int others = 0;
        for (index_t i = 0; i != n; ++i) {
          T const a = v[static_cast<std::size_t>(i)], s = math::sin(a);
          T const b = s * T(2) + math::cos(math::sin(T(3) * a));
          others += std::fabs(y(i) - s) > few || std::fabs(z(i) - b) > 8 * few;
        }
        CHECK(others == 0);
      }
  });
}
