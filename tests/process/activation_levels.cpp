// gpus: 0
// env: PLACEMENT_CPU_LEVEL=baseline
// env: PLACEMENT_CPU_LEVEL=x86-64-v3
// env: PLACEMENT_CPU_LEVEL=x86-64-v4
// Activations whose loops are compiled for several processors. Compiled at -O2.
#include <placement/ops/elu.hpp>
#include <placement/ops/gelu.hpp>
#include <placement/ops/leaky_relu.hpp>
#include <placement/ops/silu.hpp>
#include <placement/ops/softplus.hpp>
#include <placement/placement.hpp>
#if defined(LIBRARY_WITHOUT_LEVELS)
#  include <placement/src/all.ipp>
#endif
#include <support/ulps.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace placement;

namespace {

template <class T> using vector_of = tensor<T, dextents<1>>;

/// The edges of the type, then random numbers of both signs.
template <class T> std::vector<T> numbers(index_t n) {
  using limits = std::numeric_limits<T>;
  std::vector<T> all{T(0),
                     T(-0.),
                     limits::infinity(),
                     -limits::infinity(),
                     limits::quiet_NaN(),
                     limits::denorm_min(),
                     -limits::denorm_min(),
                     limits::max(),
                     limits::lowest(),
                     T(-1e3),
                     T(1e3),
                     T(1e-9),
                     T(-1e-9)};
  vector_of<double> const x = uniform<double>(shape(n), -20., 20.);
  for (index_t i = 0; static_cast<index_t>(all.size()) < n; ++i)
    all.push_back(static_cast<T>(x.data()[i]));
  all.resize(static_cast<std::size_t>(n));
  return all;
}
template <class T> bool is_same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/// Checks f within `ulps` of the exact numbers, or within `roundings` of x. An element has the same
/// bits at each position, in place, and beside other ops.
template <class T, class F, class Exact>
void check(F const& f, Exact const& exact, double ulps, double roundings = 0) {
  std::vector<T> const all = numbers<T>(1001);
  vector_of<T> const x = from(all), y = f(x);
  for (std::size_t i = 0; i != all.size(); ++i) {
    long double const expected = exact(static_cast<long double>(all[i]));
    long double const away = std::fabs(static_cast<long double>(y.data()[i]) - expected);
    bool const is_near = away <= static_cast<long double>(roundings) *
                                     std::fabs(static_cast<long double>(all[i])) *
                                     std::numeric_limits<T>::epsilon();
    INFO("of " << all[i] << " it is " << y.data()[i] << ", not " << expected);
    CHECK((is_near || ulps_apart(y.data()[i], expected) <= ulps));
  }
  for (index_t n = 0; n <= 70; ++n) {
    vector_of<T> const last = f(slice(x, range{1001 - n, 1001}));
    CHECK(std::equal(last.data(), last.data() + n, y.data() + 1001 - n, is_same<T>));
  }
  vector_of<T> const twice = T(2) * f(x * T(1));
  CHECK(std::equal(y.data(), y.data() + 1001, twice.data(),
                   [](T one, T two) { return is_same(2 * one, two); }));
  vector_of<T> in_place = x;
  in_place = f(in_place);
  CHECK(std::equal(y.data(), y.data() + 1001, in_place.data(), is_same<T>));
}

constexpr long double root_of_half = 0.707106781186547524400844362104849039L;
constexpr long double root_of_2_by_pi = 0.797884560802865355879892119868763737L;

template <class T> void check_activations() {
  long double const smallest = std::numeric_limits<T>::min();
  check<T>([](auto const& x) { return elu(x); },
           [](long double x) { return x < 0 ? std::expm1(x) : x; }, 2);
  check<T>([](auto const& x) { return elu(x, 0.25); },
           [](long double x) { return x < 0 ? std::expm1(x) / 4 : x; }, 2);
  check<T>([](auto const& x) { return leaky_relu(x, 0.25); },
           [](long double x) { return x < 0 ? x / 4 : x; }, 1);
  check<T>([](auto const& x) { return silu(x); },
           [&](long double x) {
             if (x < -1e4L) return 0.0L;
             long double const y = x / (1 + std::exp(-x));
             return y < 0 && -y < smallest && x < -1 ? 0.0L : y;
           },
           3);
  check<T>([](auto const& x) { return softplus(x); },
           [](long double x) {
             return x == x ? std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x))) : x;
           },
           3);
  check<T>([](auto const& x) { return gelu(x); },
           [](long double x) {
             if (x < -1e4L) return 0.0L;
             return x * (0.5L + 0.5L * std::erf(x * root_of_half));
           },
           4, 2);
  check<T>([](auto const& x) { return gelu<gelu_form::tanh>(x); },
           [](long double x) {
             if (x < -1e4L) return 0.0L;
             return x * (0.5L + 0.5L * std::tanh(root_of_2_by_pi * (x + 0.044715L * x * x * x)));
           },
           4, 2);
}

}  // namespace

TEST_CASE("activations of floats are within their errors at each level") {
  check_activations<float>();
}
TEST_CASE("activations of doubles are within their errors at each level") {
  check_activations<double>();
}
