// The error of each function of math/ against one with more digits: double for float, long double
// for double. docs/math.md documents the allowed errors.
#include <placement/math/asin.hpp>
#include <placement/math/asinh.hpp>
#include <placement/math/atan.hpp>
#include <placement/math/atan2.hpp>
#include <placement/math/cbrt.hpp>
#include <placement/math/complex_magnitude.hpp>
#include <placement/math/cos.hpp>
#include <placement/math/erf.hpp>
#include <placement/math/erfc.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/exp2.hpp>
#include <placement/math/expm1.hpp>
#include <placement/math/hypot.hpp>
#include <placement/math/log.hpp>
#include <placement/math/log1p.hpp>
#include <placement/math/log_to_base.hpp>
#include <placement/math/logaddexp.hpp>
#include <placement/math/pow.hpp>
#include <placement/math/pow_by_fused.hpp>
#include <placement/math/rsqrt.hpp>
#include <placement/math/sigmoid.hpp>
#include <placement/math/sin.hpp>
#include <placement/math/sinh.hpp>
#include <placement/math/tan.hpp>
#include <placement/math/tanh.hpp>
#include <support/ulps.hpp>

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace math = placement::math;

namespace {

/// Two versions of a function of any type: the library's, and the standard library's.
#define BOTH(name)                                                  \
  struct name##_function {                                          \
    static constexpr char const* says = #name;                      \
    template <class T> static T ours(T x) { return math::name(x); } \
    template <class T> static T exact(T x) { return std::name(x); } \
  }
BOTH(exp);
BOTH(expm1);
BOTH(log);
BOTH(log1p);
BOTH(tanh);
BOTH(erf);
BOTH(sin);
BOTH(cos);
BOTH(tan);
BOTH(asin);
BOTH(acos);
BOTH(atan);
BOTH(asinh);
BOTH(acosh);
BOTH(atanh);
BOTH(sinh);
BOTH(cosh);
BOTH(exp2);
BOTH(log2);
BOTH(log10);
BOTH(cbrt);
BOTH(erfc);
#undef BOTH
struct sigmoid_function {
  static constexpr char const* says = "sigmoid";
  template <class T> static T ours(T x) { return math::sigmoid(x); }
  template <class T> static T exact(T x) { return 1 / (1 + std::exp(-x)); }
};
struct rsqrt_function {
  static constexpr char const* says = "rsqrt";
  template <class T> static T ours(T x) { return math::rsqrt(x); }
  template <class T> static T exact(T x) { return 1 / std::sqrt(x); }
};

template <class F> void check_all(F const& f) {
  f(exp_function{}, 2.0, 1.5);
  f(expm1_function{}, 2.0, 1.5);
  f(log_function{}, 1.0, 1.0);
  f(log1p_function{}, 2.0, 1.5);
  f(tanh_function{}, 2.0, 1.5);
  f(sigmoid_function{}, 2.0, 1.5);
  f(erf_function{}, 1.5, 1.5);
  f(sin_function{}, 2.0, 1.0);
  f(cos_function{}, 2.0, 1.0);
  f(rsqrt_function{}, 1.5, 1.5);
  f(tan_function{}, 2.0, 1.5);
  f(asin_function{}, 2.0, 1.5);
  f(acos_function{}, 2.0, 1.5);
  f(atan_function{}, 2.0, 1.5);
  f(asinh_function{}, 2.0, 1.5);
  f(acosh_function{}, 2.0, 1.5);
  f(atanh_function{}, 2.0, 1.5);
  f(sinh_function{}, 2.0, 1.5);
  f(cosh_function{}, 2.0, 1.5);
  f(exp2_function{}, 2.0, 1.5);
  f(log2_function{}, 2.0, 1.5);
  f(log10_function{}, 2.0, 1.5);
  f(cbrt_function{}, 2.0, 1.5);
  f(erfc_function{}, 2.0, 1.5);
}

/// The largest error, and its argument.
struct worst {
  double ulps = 0;
  std::string at = "nowhere";
  template <class... X> void see(double error, X... x) {
    if (error <= ulps) return;
    ulps = error;
    std::ostringstream text;
    text << std::hexfloat;
    ((text << x << ' '), ...);
    at = text.str();
  }
};

template <class F> worst over_floats(std::uint32_t step) {
  worst w;
  for (std::uint64_t u = 0; u <= 0xffffffff; u += step) {
    float const x = std::bit_cast<float>(static_cast<std::uint32_t>(u));
    w.see(ulps_apart(F::ours(x), F::exact(static_cast<double>(x))), x);
  }
  return w;
}

/// Doubles of any size, and near the points where the implementations switch: 0, 1, interval ends.
std::vector<double> doubles(int n) {
  std::mt19937_64 bits(1);
  std::vector<double> v;
  auto const within = [&](double least, double max) {
    for (int i = 0; i != n; ++i)
      v.push_back(least + (max - least) * static_cast<double>(bits() >> 11) * 0x1p-53);
  };
  for (int i = 0; i != n; ++i) v.push_back(std::bit_cast<double>(bits()));
  for (double size : {1e-300, 1e-9, 1e-3, 0.4, 1., 2., 7., 40., 710., 1e4, 1e8})
    within(-size, size);
  within(0.7, 1.5);
  within(1, 1.0001);
  within(-745.2, -707);
  within(709, 710);
  return v;
}

/// The formulas by fused multiply-add that loops use where a processor has the instruction. Here
/// they are computed with or without it. They are for near numbers.
template <class F> struct of_positive_normal : F {
  template <class T> static bool is_near(T x) {
    return x >= std::numeric_limits<T>::min() && x <= std::numeric_limits<T>::max();
  }
};
template <class F> struct of_small_angle : F {
  template <class T> static bool is_near(T x) { return math::is_large_angle(x) == 0; }
};
struct log_by_fused : of_positive_normal<log_function> {
  template <class T> static T ours(T x) { return math::near_log_by_fused(x); }
};
struct log2_by_fused : of_positive_normal<log2_function> {
  template <class T> static T ours(T x) { return math::near_log2_by_fused(x); }
};
struct sin_by_fused : of_small_angle<sin_function> {
  template <class T> static T ours(T x) { return math::near_sin_by_fused(x); }
};
struct cos_by_fused : of_small_angle<cos_function> {
  template <class T> static T ours(T x) { return math::near_cos_by_fused(x); }
};
struct tan_by_fused : of_small_angle<tan_function> {
  template <class T> static T ours(T x) { return math::near_tan_by_fused(x); }
};
template <class F> void check_by_fused(F const& f) {
  f(log_by_fused{}, 1.0, 1.0);
  f(log2_by_fused{}, 2.0, 1.5);
  f(sin_by_fused{}, 2.0, 1.0);
  f(cos_by_fused{}, 2.0, 1.0);
  f(tan_by_fused{}, 2.0, 1.5);
}

template <class F> worst by_fused_over_floats(std::uint32_t step) {
  worst w;
  for (std::uint64_t u = 0; u <= 0xffffffff; u += step) {
    float const x = std::bit_cast<float>(static_cast<std::uint32_t>(u));
    if (F::is_near(x)) w.see(ulps_apart(F::ours(x), F::exact(static_cast<double>(x))), x);
  }
  return w;
}

}  // namespace

TEST_CASE("errors of float functions are within the documented ulps, over the whole range") {
  check_all([]<class F>(F, double max, double) {
    worst const w = over_floats<F>(15013);
    INFO(F::says << " at " << w.at);
    CHECK(w.ulps <= max);
  });
}

TEST_CASE("errors of float functions are within the documented ulps for every float",
          "[.every_float]") {
  check_all([]<class F>(F, double max, double) {
    worst const w = over_floats<F>(1);
    INFO(F::says << " at " << w.at);
    CHECK(w.ulps <= max);
  });
}

TEST_CASE("errors of formulas by fused multiply-add are within the documented ulps") {
  auto const v = doubles(5000);
  check_by_fused([&]<class F>(F, double of_floats, double of_doubles) {
    worst const f = by_fused_over_floats<F>(15013);
    worst d;
    for (double x : v)
      if (F::is_near(x)) d.see(ulps_apart(F::ours(x), F::exact(static_cast<long double>(x))), x);
    INFO(F::says << " at " << f.at << ", of doubles at " << d.at);
    CHECK(f.ulps <= of_floats);
    CHECK(d.ulps <= of_doubles);
  });
  worst s;
  for (double x : v)
    s.see(
        ulps_apart(math::sigmoid_by_fused(x), sigmoid_function::exact(static_cast<long double>(x))),
        x);
  INFO("sigmoid at " << s.at);
  CHECK(s.ulps <= 1.5);
}
TEST_CASE("errors of formulas by fused multiply-add are within the documented ulps for every float",
          "[.every_float]") {
  check_by_fused([]<class F>(F, double max, double) {
    worst const w = by_fused_over_floats<F>(1);
    INFO(F::says << " at " << w.at);
    CHECK(w.ulps <= max);
  });
}

TEST_CASE("exp_of_negative of floats is as accurate as exp, and 0 below the normal numbers") {
  worst w;
  for (std::uint64_t u = 0x80000000; u <= 0xff800000; u += 1009) {
    float const x = std::bit_cast<float>(static_cast<std::uint32_t>(u));
    double const exact = std::exp(static_cast<double>(x));
    w.see(ulps_apart(math::exp_of_negative(x), x < -87.3f ? 0 : exact), x);
  }
  INFO("at " << w.at);
  CHECK(w.ulps <= 2);
  CHECK(math::exp_of_negative(-std::numeric_limits<float>::infinity()) == 0);
  CHECK(math::exp_of_negative(0.f) == 1);
  for (std::uint32_t nan : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffc00000u})
    CHECK(std::isnan(math::exp_of_negative(std::bit_cast<float>(nan))));
}

TEST_CASE("near_sin and near_cos equal sin and cos in every bit") {
  std::mt19937 bits(3);
  auto const same = []<class T>(T x) {
    return math::is_large_angle(x) != 0 || (std::fabs(math::near_sin(x) - math::sin(x)) == 0 &&
                                            std::fabs(math::near_cos(x) - math::cos(x)) == 0);
  };
  int others = 0;
  for (int i = 0; i != 20000; ++i) {
    auto const x = static_cast<float>(bits()) * 0x1p-22f - 512;
    others += !same(x) + !same(static_cast<double>(x) * 99991);
  }
  CHECK(others == 0);
  CHECK(math::is_large_angle(0x1.fffffep+9f) == 0);
  CHECK(math::is_large_angle(-0x1p10f) != 0);
  CHECK(math::is_large_angle(std::numeric_limits<float>::quiet_NaN()) != 0);
  CHECK(math::is_large_angle(0x1.fffffffffffffp+25) == 0);
  CHECK(math::is_large_angle(-std::numeric_limits<double>::infinity()) != 0);
}

TEST_CASE("errors of double functions are within the documented ulps") {
  auto const v = doubles(5000);
  check_all([&]<class F>(F, double, double max) {
    worst w;
    for (double x : v) w.see(ulps_apart(F::ours(x), F::exact(static_cast<long double>(x))), x);
    INFO(F::says << " at " << w.at);
    CHECK(w.ulps <= max);
  });
}

TEST_CASE("erf of doubles a little above 1 adds its largest term last") {
  for (double x : {0x1.0f6c58b47c401p+0, 0x1.10e42ee7cc6cfp+0, 0x1.0ecdb2b80f9a1p+0}) {
    INFO(x);
    CHECK(ulps_apart(math::erf(x), std::erf(static_cast<long double>(x))) <= 1.1);
  }
}

TEST_CASE("errors of pow are within the documented ulps") {
  std::mt19937_64 bits(2);
  auto const within = [&](double least, double max) {
    return least + (max - least) * static_cast<double>(bits() >> 11) * 0x1p-53;
  };
  worst f, d;
  for (int i = 0; i != 60000; ++i) {
    double const size = std::exp(within(-700, 700));
    double const x = i % 3 == 0 ? within(0.5, 2) : i % 3 == 1 ? within(0, 100) : size;
    double const y = within(-1, 1) * 745 / std::fmax(std::fabs(std::log(x)), 1e-3);
    d.see(ulps_apart(math::pow(x, y),
                     std::pow(static_cast<long double>(x), static_cast<long double>(y))),
          x, y);
    auto const a = static_cast<float>(i % 3 == 2 ? std::exp(within(-87, 88)) : x);
    auto const b = static_cast<float>(y / 7);
    f.see(ulps_apart(math::pow(a, b), std::pow(static_cast<double>(a), static_cast<double>(b))), a,
          b);
  }
  INFO("of floats at " << f.at << ", of doubles at " << d.at);
  CHECK(f.ulps <= 1);
  CHECK(d.ulps <= 1.5);
}

TEST_CASE("sin and cos are accurate for the angles that are hardest to reduce") {
  // The angles nearest to multiples of pi / 2, and the largest numbers. Source: Muller: Elementary
  // functions (2016), 11.
  for (double x :
       {0x1.6ac5b262ca1ffp+849, 0x1.1p+1023, 0x1.fffffffffffffp+1023, 0x1p26, 0x1.0000000000001p26,
        0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0x1.c463abeccb2bbp+2, 1e22}) {
    INFO(x);
    auto const wide = static_cast<long double>(x);
    CHECK(ulps_apart(math::sin(x), std::sin(wide)) <= 1);
    CHECK(ulps_apart(math::cos(-x), std::cos(wide)) <= 1);
  }
  for (float x : {0x1.f37d48p+95f, 0x1.921fb6p+1f, 0x1.fffffep+127f, 16367173.f * 0x1p72f}) {
    INFO(x);
    CHECK(ulps_apart(math::sin(x), std::sin(static_cast<double>(x))) <= 2);
    CHECK(ulps_apart(math::cos(-x), std::cos(static_cast<double>(x))) <= 2);
  }
}

namespace {

/// The largest error of sin, cos and tan of x, and of the functions by fused multiply-add.
template <class Wide, class T> double error_at_angle(T x) {
  auto const wide = static_cast<Wide>(x);
  auto const sine = std::sin(wide), cosine = std::cos(wide), tangent = std::tan(wide);
  worst w;
  w.see(ulps_apart(math::sin(x), sine));
  w.see(ulps_apart(math::near_sin_by_fused(x), sine));
  w.see(ulps_apart(math::cos(x), cosine));
  w.see(ulps_apart(math::near_cos_by_fused(x), cosine));
  w.see(ulps_apart(math::tan(x), tangent));
  w.see(ulps_apart(math::near_tan_by_fused(x), tangent));
  return w.ulps;
}

}  // namespace

TEST_CASE("sin, cos and tan are accurate for the angles nearest to multiples of pi / 2") {
  worst f, d;
  for (int n = 1; n <= 651; ++n) {
    auto const x = static_cast<float>(n * 1.5707963267948966);
    for (float const angle : {std::nextafter(x, 0.f), x, std::nextafter(x, 1e9f)})
      f.see(error_at_angle<double>(angle), angle);
  }
  INFO("of floats at " << f.at);
  CHECK(f.ulps <= 2);
  // of all doubles below 2^26, by continued fractions of 2^k 2 / pi
  for (double const angle : {0x1.6c6cbc45dc8dep+5, 0x1.6c6cbc45dc8dep+6, 0x1.6c6cbc45dc8dep+7,
                             0x1.6c6cbc45dc8dep+10, 0x1.39c6fd67805a7p+18, 0x1.9eb7148f354d6p+20,
                             0x1.b951f1572eba5p+23, 0x1.b951f1572eba5p+24, 0x1.b951f1572eba5p+25}) {
    d.see(error_at_angle<long double>(angle), angle);
    d.see(error_at_angle<long double>(-angle), -angle);
  }
  INFO("of doubles at " << d.at);
  CHECK(d.ulps <= 1);
}

namespace {

/// Pairs of numbers of any size, and of like sizes.
template <class T, class F> void each_pair(int n, F const& see) {
  using bits = math::bits_of<T>;
  std::mt19937_64 random(7);
  for (int i = 0; i != n; ++i) {
    T const y = std::bit_cast<T>(static_cast<bits>(random()));
    T const any = std::bit_cast<T>(static_cast<bits>(random()));
    T const factor = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52);
    see(y, any);
    see(y, static_cast<T>(y * factor));
    see(static_cast<T>(-y * factor), y);
  }
}
template <class T> void check_atan2(double max) {
  using wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  worst w;
  each_pair<T>(300'000, [&](T y, T x) {
    T const angle = math::atan2(y, x);
    wide const exact = std::atan2(static_cast<wide>(y), static_cast<wide>(x));
    w.see(ulps_apart(angle, exact), y, x);
    if (angle == angle && std::signbit(angle) != std::signbit(exact)) w.see(1e9, y, x);
  });
  INFO(sizeof(T) << " bytes, at " << w.at);
  CHECK(w.ulps <= max);
}
template <class T> void check_edges_of_atan2() {
  using wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  using limits = std::numeric_limits<T>;
  T const edges[] = {0,
                     limits::denorm_min(),
                     limits::min(),
                     1,
                     limits::max(),
                     limits::infinity(),
                     limits::quiet_NaN()};
  for (T const b : edges)
    for (T const a : edges)
      for (int signs = 0; signs != 4; ++signs) {
        T const y = (signs & 1) != 0 ? -b : b, x = (signs & 2) != 0 ? -a : a;
        wide const exact = std::atan2(static_cast<wide>(y), static_cast<wide>(x));
        T const angle = math::atan2(y, x);
        INFO(y << " " << x);
        if (exact != exact) CHECK(angle != angle);
        else CHECK((ulps_apart(angle, exact) <= 2 && std::signbit(angle) == std::signbit(exact)));
      }
}

}  // namespace

TEST_CASE("errors of atan2 are within the documented ulps") {
  check_atan2<float>(2.0);
  check_atan2<double>(1.5);
}

TEST_CASE("atan2 of zeros, infinities and NaN is that of the C standard") {
  check_edges_of_atan2<float>();
  check_edges_of_atan2<double>();
}

TEST_CASE("errors of hypot are within the documented ulps, without overflow of its squares") {
  auto const check = []<class T>(T, double most) {
    using wide = std::conditional_t<sizeof(T) == 4, double, long double>;
    worst w;
    each_pair<T>(300'000, [&](T y, T x) {
      wide const exact = std::hypot(static_cast<wide>(x), static_cast<wide>(y));
      if (exact <= std::numeric_limits<T>::max()) w.see(ulps_apart(math::hypot(x, y), exact), x, y);
    });
    INFO(sizeof(T) << " bytes, at " << w.at);
    CHECK(w.ulps <= most);
    using limits = std::numeric_limits<T>;
    T const inf = limits::infinity(), nan = limits::quiet_NaN(), least = limits::denorm_min();
    CHECK(math::hypot(inf, nan) == inf);
    CHECK(math::hypot(nan, -inf) == inf);
    CHECK(math::hypot(limits::max(), limits::max()) == inf);
    CHECK(math::hypot(T(0), T(-0.)) == 0);
    CHECK(std::isnan(math::hypot(nan, T(1))));
    CHECK(math::hypot(T(0), nan) != math::hypot(T(0), nan));
    CHECK(math::hypot(least, T(0)) == least);
    CHECK(math::hypot(T(-3), T(4)) == 5);
  };
  check(float{}, 1.5);
  check(double{}, 1.5);
}

TEST_CASE("errors of logaddexp are within the documented ulps of its result, or of 1/2") {
  auto const check = []<class T>(T, double most) {
    using wide = std::conditional_t<sizeof(T) == 4, double, long double>;
    using limits = std::numeric_limits<T>;
    worst w;
    auto const see = [&](T x, T y) {
      T const got = math::logaddexp(x, y), larger = std::max(x, y);
      wide const lesser = std::min(x, y),
                 exact = larger + std::log1p(std::exp(lesser - static_cast<wide>(larger)));
      // Near 0 the two terms cancel, and their errors stay.
      T const size = std::max(static_cast<T>(std::fabs(exact)), T(0.5));
      T const unit = std::nextafter(size, limits::infinity()) - size;
      w.see(static_cast<double>(std::fabs(static_cast<wide>(got) - exact) / unit), x, y);
    };
    std::mt19937_64 random(5);
    for (int i = 0; i != 300'000; ++i) {
      auto const within = [&](double size) {
        return static_cast<T>(size * (static_cast<double>(random() >> 11) * 0x1p-52 - 1));
      };
      T const x = within(i % 3 == 0 ? 1 : 40), y = within(i % 2 == 0 ? 1 : 40);
      see(x, y);
      see(x, x + within(1e-3));
    }
    INFO(sizeof(T) << " bytes, at " << w.at);
    CHECK(w.ulps <= most);
    T const inf = limits::infinity(), nan = limits::quiet_NaN(), max = limits::max();
    CHECK(math::logaddexp(inf, inf) == inf);
    CHECK(math::logaddexp(-inf, -inf) == -inf);
    CHECK(math::logaddexp(-inf, inf) == inf);
    CHECK(math::logaddexp(inf, T(3)) == inf);
    CHECK(math::logaddexp(T(3), -inf) == 3);
    CHECK(math::logaddexp(max, -max) == max);
    CHECK(math::logaddexp(T(-1000), T(-1000)) == T(-1000) + std::log(T(2)));
    CHECK(math::logaddexp(T(0), T(-0.)) == std::log(T(2)));
    for (T const other : {T(1), inf, -inf, nan}) {
      CHECK(std::isnan(math::logaddexp(nan, other)));
      CHECK(std::isnan(math::logaddexp(other, nan)));
    }
  };
  check(float{}, 2);
  check(double{}, 1.5);
}

TEST_CASE("the magnitude of complex floats is rounded once, without overflow of its squares") {
  worst w;
  each_pair<float>(300'000, [&](float y, float x) {
    double const a = x, b = y, exact = std::hypot(a, b);
    if (exact <= std::numeric_limits<float>::max())
      w.see(ulps_apart(math::complex_magnitude(x, y), exact), y, x);
  });
  INFO("at " << w.at);
  CHECK(w.ulps <= 0.51);
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = NAN;
  CHECK(math::complex_magnitude(inf, nan) == inf);
  CHECK(math::complex_magnitude(nan, -inf) == inf);
  CHECK(math::complex_magnitude(3e38f, 3e38f) == inf);
  CHECK(math::complex_magnitude(0.f, -0.f) == 0);
  CHECK(std::isnan(math::complex_magnitude(nan, 1.f)));
  CHECK(math::complex_magnitude(0x1p-149f, 0.f) == 0x1p-149f);
}
