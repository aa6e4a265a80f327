// Matrix products, beside the textbook loop and Eigen.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <vector>

#if PLACEMENT_BENCH_EIGEN
#  include <Eigen/Core>
#endif

namespace pl = placement;

static void report(benchmark::State& state) {
  double const n = static_cast<double>(state.range(0));
  state.counters["FLOP/s"] = benchmark::Counter(
      2 * n * n * n * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

static void matmul_raw(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  std::vector<float> a(n * n, 1), b(n * n, 2), c(n * n);
  for (auto _ : state) {
    for (std::size_t i = 0; i != n; ++i)
      for (std::size_t j = 0; j != n; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k != n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
    benchmark::ClobberMemory();
  }
  report(state);
}

#if PLACEMENT_BENCH_EIGEN
static void matmul_eigen(benchmark::State& state) {
  using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  matrix const a = matrix::Constant(state.range(0), state.range(0), 1), b = a;
  matrix c = a;
  for (auto _ : state) {
    c.noalias() = a * b;
    benchmark::ClobberMemory();
  }
  report(state);
}
#endif

static pl::tensor<float, pl::dextents<2>> square(std::int64_t n) {
  return pl::reshape(pl::iota(n * n, 0.f, 1e-6f), pl::shape(n, n));
}
static void matmul_placement(benchmark::State& state) {
  pl::with_device scope(pl::cpu<0>);
  auto const a = square(state.range(0)), b = square(state.range(0));
  auto c = square(state.range(0));
  for (auto _ : state) {
    c = pl::matmul(a, b);
    benchmark::ClobberMemory();
  }
  report(state);
}
static void matmul_bias_relu_placement(benchmark::State& state) {
  pl::with_device scope(pl::cpu<0>);
  auto const a = square(state.range(0)), b = square(state.range(0));
  pl::tensor bias = pl::iota(state.range(0), 0.f);
  auto c = square(state.range(0));
  for (auto _ : state) {
    c = pl::relu(pl::matmul(a, b) + bias);
    benchmark::ClobberMemory();
  }
  report(state);
}

BENCHMARK(matmul_raw)->RangeMultiplier(2)->Range(64, 512);
#if PLACEMENT_BENCH_EIGEN
BENCHMARK(matmul_eigen)->RangeMultiplier(2)->Range(64, 512);
#endif
BENCHMARK(matmul_placement)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(matmul_bias_relu_placement)->RangeMultiplier(2)->Range(64, 512);
