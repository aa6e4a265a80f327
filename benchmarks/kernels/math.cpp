// Functions of real numbers in fused loops, with data in the L1 and L2 caches. The peers are the
// standard library in a plain loop, Eigen, xtensor and SLEEF. First single functions, then
// exp(-x * x) * tanh(x) + y, and the softmax of rows of 1024. The counter `ulps` is the largest
// error. To compare sides run them in turn: --benchmark_enable_random_interleaving=true
// --benchmark_repetitions=9 --benchmark_report_aggregates_only=true.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#if PLACEMENT_BENCH_EIGEN
#  include <Eigen/Core>
#  include <unsupported/Eigen/SpecialFunctions>
#endif
#if PLACEMENT_BENCH_XTENSOR
#  define XTENSOR_USE_XSIMD
#  include <xtensor/xmath.hpp>
#  include <xtensor/xnoalias.hpp>
#  include <xtensor/xtensor.hpp>
#endif
#if PLACEMENT_BENCH_SLEEF
#  include <kernels/sleef.hpp>
#endif

namespace pl = placement;

namespace {

/// The operands of all sides: unordered values in a range of length 8 or `range`.
template <class T> std::vector<T> numbers(std::int64_t n, T from, T range = 8) {
  std::vector<T> x;
  for (std::int64_t i = 0; i != n; ++i)
    x.push_back(from + static_cast<T>((i * 37 + 1) % n) * range / static_cast<T>(n));
  return x;
}

/// Times `pass`, which reads and writes `arrays` arrays of the benchmark's size.
template <class T, class F> void measure(benchmark::State& state, int arrays, F const& pass) {
  for (auto _ : state) {
    pass();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * arrays *
                          static_cast<std::int64_t>(sizeof(T)));
}

/// A benchmark in L1 and one in L2; for some work also one for threads.
template <class F> void add(std::string const& name, F const& run) {
  auto* const sizes = benchmark::RegisterBenchmark(name.c_str(), run)->Arg(2048)->Arg(16384);
  if (name.starts_with("gauss_tanh")) sizes->Arg(1 << 20);
}

/// The largest error of z = formula(x, x), in units of the last place of the exact value.
template <class T, class F> double ulps(std::vector<T> const& x, T const* z, F const& formula) {
  double most = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    auto const v = static_cast<long double>(x[i]), exact = formula(v, v);
    int exponent = 0;
    std::frexp(static_cast<T>(exact), &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    auto const unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
    most = std::max(most,
                    static_cast<double>(std::abs(static_cast<long double>(z[i]) - exact) / unit));
  }
  return most;
}

/// z = formula(x, y) on all sides. Name lookup finds each side's functions.
/// `arrays`: the number of arrays that it reads and writes.
template <class T, class F>
void compare(std::string const& name, T from, T range, int arrays, F const& formula) {
  add(name + "/std", [=](benchmark::State& state) {
    std::vector<T> const x = numbers(state.range(0), from, range), y = x;
    std::vector<T> z = x;
    measure<T>(state, arrays, [&] {
      for (std::size_t i = 0; i != z.size(); ++i) z[i] = formula(x[i], y[i]);
    });
    state.counters["ulps"] = ulps(x, z.data(), formula);
  });
  add(name + "/placement", [=](benchmark::State& state) {
    pl::with_device scope(pl::cpu<0>);
    std::vector<T> const v = numbers(state.range(0), from, range);
    pl::tensor const x = pl::from(v), y = x + T(0);
    pl::tensor z = x + y;
    measure<T>(state, arrays, [&] { z = formula(x, y); });
    state.counters["ulps"] = ulps(v, z.data(), formula);
  });
#if PLACEMENT_BENCH_EIGEN
  add(name + "/Eigen", [=](benchmark::State& state) {
    using array = Eigen::Array<T, Eigen::Dynamic, 1>;
    std::vector<T> const v = numbers(state.range(0), from, range);
    array const x = Eigen::Map<array const>(v.data(), state.range(0)), y = x;
    array z = x;
    measure<T>(state, arrays, [&] { z = formula(x, y); });
    state.counters["ulps"] = ulps(v, z.data(), formula);
  });
#endif
#if PLACEMENT_BENCH_XTENSOR
  add(name + "/xtensor", [=](benchmark::State& state) {
    std::vector<T> const v = numbers(state.range(0), from, range);
    xt::xtensor<T, 1> x = xt::xtensor<T, 1>::from_shape({v.size()});
    std::copy(v.begin(), v.end(), x.begin());
    xt::xtensor<T, 1> const y = x;
    xt::xtensor<T, 1> z = x;
    measure<T>(state, arrays, [&] { xt::noalias(z) = formula(x, y); });
    state.counters["ulps"] = ulps(v, z.data(), formula);
  });
#endif
#if PLACEMENT_BENCH_SLEEF
  add(name + "/SLEEF", [=](benchmark::State& state) {
    using pack = sleef::pack<T>;
    std::vector<T> const x = numbers(state.range(0), from, range), y = x;
    std::vector<T> z = x;
    measure<T>(state, arrays, [&] {
      for (std::size_t i = 0; i != z.size(); i += pack::size)
        formula(pack::load(&x[i]), pack::load(&y[i])).store(&z[i]);
    });
    state.counters["ulps"] = ulps(x, z.data(), formula);
  });
#endif
}

// The functions of numbers; name lookup by arguments finds those of arrays and packs.
using std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh, std::erf,
    std::erfc, std::exp, std::exp2, std::expm1, std::hypot, std::log, std::log10, std::log1p,
    std::log2, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

// Functions that the other sides lack.

template <class X> requires(!pl::operand<X>)
auto sigmoid(X const& x) {
  return 1 / (1 + exp(-x));
}
template <class X> requires(!pl::operand<X>)
auto rsqrt(X const& x) {
  return 1 / sqrt(x);
}
#if PLACEMENT_BENCH_EIGEN
template <class X> auto exp2(Eigen::ArrayBase<X> const& x) {
  return x.unaryExpr([](auto v) { return std::exp2(v); });
}
template <class X> auto cbrt(Eigen::ArrayBase<X> const& x) {
  return x.unaryExpr([](auto v) { return std::cbrt(v); });
}
template <class X> auto atan2(Eigen::ArrayBase<X> const& y, Eigen::ArrayBase<X> const& x) {
  return y.binaryExpr(x.derived(), [](auto v, auto w) { return std::atan2(v, w); });
}
template <class X> auto hypot(Eigen::ArrayBase<X> const& x, Eigen::ArrayBase<X> const& y) {
  return x.binaryExpr(y.derived(), [](auto v, auto w) { return std::hypot(v, w); });
}
#endif

template <class T> void compare_all(std::string const& type) {
  auto const of_one = [&](std::string const& name, T from, T range, auto const& function) {
    compare<T>(name + "/" + type, from, range, 2, function);
  };
  of_one("exp", -4, 8, [](auto const& x, auto const&) { return exp(x); });
  of_one("exp2", -4, 8, [](auto const& x, auto const&) { return exp2(x); });
  of_one("expm1", -4, 8, [](auto const& x, auto const&) { return expm1(x); });
  of_one("log", T(0.01), 8, [](auto const& x, auto const&) { return log(x); });
  of_one("log2", T(0.01), 8, [](auto const& x, auto const&) { return log2(x); });
  of_one("log10", T(0.01), 8, [](auto const& x, auto const&) { return log10(x); });
  of_one("log1p", T(-0.9), 8, [](auto const& x, auto const&) { return log1p(x); });
  of_one("tanh", -4, 8, [](auto const& x, auto const&) { return tanh(x); });
  of_one("sigmoid", -4, 8, [](auto const& x, auto const&) { return sigmoid(x); });
  of_one("erf", -4, 8, [](auto const& x, auto const&) { return erf(x); });
  of_one("erfc", -4, 8, [](auto const& x, auto const&) { return erfc(x); });
  of_one("rsqrt", T(0.01), 8, [](auto const& x, auto const&) { return rsqrt(x); });
  of_one("sin", -4, 8, [](auto const& x, auto const&) { return sin(x); });
  of_one("cos", -4, 8, [](auto const& x, auto const&) { return cos(x); });
  of_one("tan", -4, 8, [](auto const& x, auto const&) { return tan(x); });
  of_one("asin", -1, 2, [](auto const& x, auto const&) { return asin(x); });
  of_one("acos", -1, 2, [](auto const& x, auto const&) { return acos(x); });
  of_one("atan", -4, 8, [](auto const& x, auto const&) { return atan(x); });
  of_one("sinh", -4, 8, [](auto const& x, auto const&) { return sinh(x); });
  of_one("cosh", -4, 8, [](auto const& x, auto const&) { return cosh(x); });
  of_one("cbrt", -4, 8, [](auto const& x, auto const&) { return cbrt(x); });
  auto const of_two = [&](std::string const& name, T from, auto const& function) {
    compare<T>(name + "/" + type, from, 8, 3, function);
  };
  of_two("atan2", -4, [](auto const& x, auto const& y) { return atan2(x, y); });
  of_two("pow", T(0.01), [](auto const& x, auto const& y) { return pow(x, y); });
  of_two("hypot", -4, [](auto const& x, auto const& y) { return hypot(x, y); });
  of_two("gauss_tanh", -4, [](auto const& x, auto const& y) { return exp(-x * x) * tanh(x) + y; });
}

// ---- softmax of rows

constexpr std::int64_t columns = 1024;

template <class T> void compare_softmax(std::string const& name) {
  add(name + "/placement", [](benchmark::State& state) {
    pl::with_device scope(pl::cpu<0>);
    pl::tensor const x = pl::reshape(pl::from(numbers<T>(state.range(0), -4)),
                                     pl::shape(state.range(0) / columns, columns));
    pl::tensor z = x + T(1);
    measure<T>(state, 2, [&] { z = pl::softmax(x); });
  });
#if PLACEMENT_BENCH_EIGEN
  add(name + "/Eigen", [](benchmark::State& state) {
    using array = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    std::vector<T> const v = numbers<T>(state.range(0), -4);
    array const x = Eigen::Map<array const>(v.data(), state.range(0) / columns, columns);
    array z = x;
    measure<T>(state, 2, [&] {
      for (Eigen::Index i = 0; i != x.rows(); ++i) {
        z.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
        z.row(i) /= z.row(i).sum();
      }
    });
  });
#endif
}

bool const registered = [] {
  compare_all<float>("f32");
  compare_all<double>("f64");
  compare_softmax<float>("softmax/f32");
  compare_softmax<double>("softmax/f64");
  return true;
}();

}  // namespace
