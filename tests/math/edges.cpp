// Results of the functions of math/ at the limits of the types, and where the C standard specifies
// them.
#include <placement/kernels/simd.hpp>
#include <placement/kernels/simd_math.hpp>
#include <placement/math/asin.hpp>
#include <placement/math/asinh.hpp>
#include <placement/math/atan.hpp>
#include <placement/math/cbrt.hpp>
#include <placement/math/cos.hpp>
#include <placement/math/erf.hpp>
#include <placement/math/erfc.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/exp2.hpp>
#include <placement/math/expm1.hpp>
#include <placement/math/log.hpp>
#include <placement/math/log1p.hpp>
#include <placement/math/log_to_base.hpp>
#include <placement/math/pow.hpp>
#include <placement/math/rsqrt.hpp>
#include <placement/math/sigmoid.hpp>
#include <placement/math/sin.hpp>
#include <placement/math/sinh.hpp>
#include <placement/math/tan.hpp>
#include <placement/math/tanh.hpp>
#include <support/elementwise.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace math = placement::math;

namespace {

template <class T> constexpr T infinite = std::numeric_limits<T>::infinity();
template <class T> constexpr T none = std::numeric_limits<T>::quiet_NaN();
template <class T> constexpr T least = std::numeric_limits<T>::denorm_min();
template <class T> constexpr T max = std::numeric_limits<T>::max();

template <class T> struct row {
  T x, y;
};
/// Checks f(x) against y, with its sign, for each row.
template <class T, class F> void check(char const* name, F f, std::vector<row<T>> const& table) {
  for (auto const [x, y] : table) {
    INFO(name << '(' << x << ") = " << f(x) << ", not " << y);
    CHECK(same(f(x), y));
  }
}

}  // namespace

TEST_CASE("numbers that are not positive and normal, or from an end on, are found by their bits") {
  each<floats>([]<class T>() {
    using U = math::bits_of<T>;
    constexpr T normal = std::numeric_limits<T>::min();
    U const sign = U{1} << (sizeof(T) * 8 - 1);
    auto const next = [](T x) { return math::from_bits<T>(math::to_bits(x) + 1); };
    auto const before = [](T x) { return math::from_bits<T>(math::to_bits(x) - 1); };
    for (T const end : {infinite<T>, math::end_of_near_log1p<T>})
      for (T const a :
           {T(0), least<T>, before(normal), normal, next(normal), T(1), before(end), end, max<T>,
            infinite<T>, next(infinite<T>), none<T>, math::from_bits<T>(~sign)})
        for (T const x : {a, math::from_bits<T>(math::to_bits(a) | sign)}) {
          INFO(x << " below " << end);
          U const expected = math::ones_where<T>(!(normal <= x && x < end));
          CHECK(math::is_no_positive_normal(x, end) == expected);
#if PLACEMENT_HAS_PACKS
          constexpr int lanes = 16 / sizeof(T);
          U found[static_cast<std::size_t>(lanes)];
          placement::simd::store(found,
                                 no_positive_normal(placement::simd::pack<T, lanes>(x), end));
          CHECK(found[lanes - 1] == expected);
#endif
        }
  });
}

TEST_CASE("functions of one number follow the C standard at 0, infinity and NaN") {
  each<floats>([]<class T>() {
    constexpr T i = infinite<T>, n = none<T>, d = least<T>, z = 0, one = 1;
    check<T>("exp", [](T x) { return math::exp(x); },
             {{z, one}, {-z, one}, {i, i}, {-i, z}, {n, n}, {max<T>, i}, {-max<T>, z}, {d, one}});
    check<T>("expm1", [](T x) { return math::expm1(x); },
             {{z, z},
              {-z, -z},
              {i, i},
              {-i, -one},
              {n, n},
              {max<T>, i},
              {-max<T>, -one},
              {d, d},
              {-d, -d}});
    check<T>("log", [](T x) { return math::log(x); },
             {{z, -i}, {-z, -i}, {one, z}, {i, i}, {-i, n}, {-one, n}, {-d, n}, {n, n}, {-n, n}});
    check<T>("log1p", [](T x) { return math::log1p(x); },
             {{z, z}, {-z, -z}, {-one, -i}, {i, i}, {-i, n}, {T(-2), n}, {n, n}, {d, d}, {-d, -d}});
    check<T>("tanh", [](T x) { return math::tanh(x); },
             {{z, z},
              {-z, -z},
              {i, one},
              {-i, -one},
              {n, n},
              {d, d},
              {-d, -d},
              {T(25), one},
              {-max<T>, -one}});
    check<T>("sigmoid", [](T x) { return math::sigmoid(x); },
             {{z, T(0.5)}, {-z, T(0.5)}, {i, one}, {-i, z}, {n, n}, {max<T>, one}, {-max<T>, z}});
    check<T>("erf", [](T x) { return math::erf(x); },
             {{z, z}, {-z, -z}, {i, one}, {-i, -one}, {n, n}, {T(7), one}, {-max<T>, -one}});
    check<T>("sin", [](T x) { return math::sin(x); },
             {{z, z}, {-z, -z}, {i, n}, {-i, n}, {n, n}, {d, d}, {-d, -d}});
    check<T>("cos", [](T x) { return math::cos(x); },
             {{z, one}, {-z, one}, {i, n}, {-i, n}, {n, n}, {d, one}});
    check<T>("exp2", [](T x) { return math::exp2(x); },
             {{z, one},
              {-z, one},
              {T(3), T(8)},
              {T(-2), T(0.25)},
              {i, i},
              {-i, z},
              {n, n},
              {max<T>, i},
              {-max<T>, z},
              {d, one}});
    check<T>("log2", [](T x) { return math::log2(x); },
             {{z, -i},
              {-z, -i},
              {one, z},
              {T(8), T(3)},
              {T(0.25), T(-2)},
              {i, i},
              {-i, n},
              {-one, n},
              {-d, n},
              {n, n}});
    check<T>("log10", [](T x) { return math::log10(x); },
             {{z, -i},
              {-z, -i},
              {one, z},
              {T(1000), T(3)},
              {i, i},
              {-i, n},
              {-one, n},
              {-d, n},
              {n, n}});
    check<T>("cbrt", [](T x) { return math::cbrt(x); },
             {{z, z}, {-z, -z}, {T(27), T(3)}, {T(-8), T(-2)}, {i, i}, {-i, -i}, {n, n}});
    check<T>(
        "erfc", [](T x) { return math::erfc(x); },
        {{z, one}, {-z, one}, {i, z}, {-i, T(2)}, {n, n}, {max<T>, z}, {-max<T>, T(2)}, {d, one}});
    check<T>("tan", [](T x) { return math::tan(x); },
             {{z, z}, {-z, -z}, {i, n}, {-i, n}, {n, n}, {d, d}, {-d, -d}});
    check<T>("asin", [](T x) { return math::asin(x); },
             {{z, z},
              {-z, -z},
              {one, std::asin(one)},
              {-one, std::asin(-one)},
              {T(1.5), n},
              {-i, n},
              {n, n},
              {d, d},
              {-d, -d}});
    check<T>("acos", [](T x) { return math::acos(x); },
             {{one, z}, {-one, std::acos(-one)}, {z, std::acos(z)}, {T(-1.5), n}, {i, n}, {n, n}});
    check<T>(
        "atan", [](T x) { return math::atan(x); },
        {{z, z}, {-z, -z}, {i, std::asin(one)}, {-i, -std::asin(one)}, {n, n}, {d, d}, {-d, -d}});
    // log(2 max<T>), rounded to nearest; glibc's asinh is off by one there
    constexpr T of_max = sizeof(T) == 4 ? T(0x1.65a9f8p+6) : T(0x1.633ce8fb9f87ep+9);
    check<T>("asinh", [](T x) { return math::asinh(x); },
             {{z, z},
              {-z, -z},
              {i, i},
              {-i, -i},
              {n, n},
              {d, d},
              {-d, -d},
              {max<T>, of_max},
              {-max<T>, -of_max}});
    check<T>("acosh", [](T x) { return math::acosh(x); },
             {{one, z},
              {z, n},
              {-z, n},
              {T(0.5), n},
              {-one, n},
              {-i, n},
              {-max<T>, n},
              {i, i},
              {n, n},
              {max<T>, of_max}});
    check<T>("atanh", [](T x) { return math::atanh(x); },
             {{z, z},
              {-z, -z},
              {one, i},
              {-one, -i},
              {T(1.5), n},
              {T(-1.5), n},
              {i, n},
              {-i, n},
              {n, n},
              {d, d},
              {-d, -d}});
    check<T>(
        "sinh", [](T x) { return math::sinh(x); },
        {{z, z}, {-z, -z}, {i, i}, {-i, -i}, {n, n}, {d, d}, {-d, -d}, {max<T>, i}, {-max<T>, -i}});
    check<T>("cosh", [](T x) { return math::cosh(x); },
             {{z, one}, {-z, one}, {i, i}, {-i, i}, {n, n}, {d, one}, {-max<T>, i}});
    check<T>("rsqrt", [](T x) { return math::rsqrt(x); },
             {{z, i},
              {-z, -i},
              {one, one},
              {T(4), T(0.5)},
              {T(0.25), T(2)},
              {i, z},
              {-i, n},
              {-one, n},
              {-d, n},
              {n, n}});
  });
}

TEST_CASE("exp overflows, is denormal and underflows at the right arguments") {
  CHECK(math::exp(0x1.62e42ep+6f) < infinite<float>);
  CHECK(math::exp(0x1.62e43p+6f) == infinite<float>);
  CHECK(math::exp(-0x1.9d1d9ep+6f) == least<float>);
  CHECK(math::exp(-0x1.9fe36ap+6f) == 0);
  CHECK(math::exp(0x1.62e42fefa39efp+9) < infinite<double>);
  CHECK(math::exp(0x1.62e42fefa39fp+9) == infinite<double>);
  CHECK(math::exp(-0x1.74385446d71c3p+9) == least<double>);
  CHECK(math::exp(-0x1.74910d52d3052p+9) == 0);
}

TEST_CASE("pow follows the C standard in each special case") {  // F.10.4.4
  each<floats>([]<class T>() {
    constexpr T i = infinite<T>, d = least<T>;
    std::vector<T> const v{0,
                           -T(0),
                           1,
                           -1,
                           2,
                           -2,
                           3,
                           -3,
                           T(0.5),
                           T(-0.5),
                           T(2.5),
                           T(-2.5),
                           i,
                           -i,
                           none<T>,
                           d,
                           -d,
                           max<T>,
                           -max<T>,
                           T(0x1p22) + T(0.5),
                           T(0x1p23) + 1,
                           T(0x1p24) - 1,
                           T(0x1p24),
                           T(-0x1p24) + 1,
                           T(0x1p51) + T(0.5),
                           T(0x1p52) + 1,
                           T(0x1p53) - 1,
                           T(0x1p53),
                           T(1e30),
                           T(-1e30)};
    for (T x : v)
      for (T y : v) {
        T const got = math::pow(x, y), expected = std::pow(x, y);
        INFO("pow(" << x << ", " << y << ") = " << got << ", not " << expected);
        bool const special = !std::isfinite(expected) || expected == 0 || std::fabs(expected) == 1;
        if (special) CHECK(same(got, expected));
        else
          CHECK(std::fabs(got - expected) <=
                2 * std::numeric_limits<T>::epsilon() * std::fabs(expected) + d);
      }
  });
}

TEST_CASE("functions of math/ are constant expressions for constant operands") {
  STATIC_CHECK(math::exp(0.) == 1);
  STATIC_CHECK(math::log(1.f) == 0);
  STATIC_CHECK(math::sin(0x1p100) * math::sin(0x1p100) + math::cos(0x1p100) * math::cos(0x1p100) >
               0.999999999);
  STATIC_CHECK(math::pow(2., 10.) == 1024);
}
