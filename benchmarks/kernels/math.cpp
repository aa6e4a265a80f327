// Functions of real numbers in fused loops, with data in the L1 and L2 caches. The peers are the
// standard library in a plain loop, Eigen and xtensor. First single functions, then
// exp(-x * x) * tanh(x) + y, and the softmax of rows of 1024. To compare sides run them in turn:
// --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
// --benchmark_report_aggregates_only=true.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
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

namespace pl = placement;

namespace {

/// The operands of all sides: unordered values in a range of length 8.
template <class T> std::vector<T> numbers(std::int64_t n, T from) {
  std::vector<T> x;
  for (std::int64_t i = 0; i != n; ++i)
    x.push_back(from + static_cast<T>((i * 37 + 1) % n) * 8 / static_cast<T>(n));
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

/// z = formula(x, y) on all sides. Name lookup finds each side's functions. `arrays`: the number of
/// arrays that it reads and writes.
template <class T, class F>
void compare(std::string const& name, T from, int arrays, F const& formula) {
  add(name + "/std", [=](benchmark::State& state) {
    std::vector<T> const x = numbers(state.range(0), from), y = x;
    std::vector<T> z = x;
    measure<T>(state, arrays, [&] {
      for (std::size_t i = 0; i != z.size(); ++i) z[i] = formula(x[i], y[i]);
    });
  });
  add(name + "/placement", [=](benchmark::State& state) {
    pl::with_device scope(pl::cpu<0>);
    pl::tensor const x = pl::from(numbers(state.range(0), from)), y = x + T(0);
    pl::tensor z = x + y;
    measure<T>(state, arrays, [&] { z = formula(x, y); });
  });
#if PLACEMENT_BENCH_EIGEN
  add(name + "/Eigen", [=](benchmark::State& state) {
    using array = Eigen::Array<T, Eigen::Dynamic, 1>;
    std::vector<T> const v = numbers(state.range(0), from);
    array const x = Eigen::Map<array const>(v.data(), state.range(0)), y = x;
    array z = x;
    measure<T>(state, arrays, [&] { z = formula(x, y); });
  });
#endif
#if PLACEMENT_BENCH_XTENSOR
  add(name + "/xtensor", [=](benchmark::State& state) {
    std::vector<T> const v = numbers(state.range(0), from);
    xt::xtensor<T, 1> x = xt::xtensor<T, 1>::from_shape({v.size()});
    std::copy(v.begin(), v.end(), x.begin());
    xt::xtensor<T, 1> const y = x;
    xt::xtensor<T, 1> z = x;
    measure<T>(state, arrays, [&] { xt::noalias(z) = formula(x, y); });
  });
#endif
}

// Functions that the other sides lack.

template <class X> requires(!pl::operand<X>)
auto sigmoid(X const& x) {
  using std::exp;
  return 1 / (1 + exp(-x));
}
template <class X> requires(!pl::operand<X>)
auto rsqrt(X const& x) {
  using std::sqrt;
  return 1 / sqrt(x);
}

template <class T> void compare_all(std::string const& type) {
  compare<T>("exp/" + type, -4, 2, [](auto const& x, auto const&) {
    using std::exp;
    return exp(x);
  });
  compare<T>("expm1/" + type, -4, 2, [](auto const& x, auto const&) {
    using std::expm1;
    return expm1(x);
  });
  compare<T>("log/" + type, T(0.01), 2, [](auto const& x, auto const&) {
    using std::log;
    return log(x);
  });
  compare<T>("log1p/" + type, T(-0.9), 2, [](auto const& x, auto const&) {
    using std::log1p;
    return log1p(x);
  });
  compare<T>("tanh/" + type, -4, 2, [](auto const& x, auto const&) {
    using std::tanh;
    return tanh(x);
  });
  compare<T>("sigmoid/" + type, -4, 2, [](auto const& x, auto const&) { return sigmoid(x); });
  compare<T>("erf/" + type, -4, 2, [](auto const& x, auto const&) {
    using std::erf;
    return erf(x);
  });
  compare<T>("rsqrt/" + type, T(0.01), 2, [](auto const& x, auto const&) { return rsqrt(x); });
  compare<T>("sin/" + type, -4, 2, [](auto const& x, auto const&) {
    using std::sin;
    return sin(x);
  });
  compare<T>("cos/" + type, -4, 2, [](auto const& x, auto const&) {
    using std::cos;
    return cos(x);
  });
  compare<T>("pow/" + type, T(0.01), 3, [](auto const& x, auto const& y) {
    using std::pow;
    return pow(x, y);
  });
  compare<T>("gauss_tanh/" + type, -4, 3, [](auto const& x, auto const& y) {
    using std::exp;
    using std::tanh;
    return exp(-x * x) * tanh(x) + y;
  });
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
