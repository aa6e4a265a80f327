// One fused pass over arrays, beside the loop by hand and Eigen: 2 x + y, in cache and out of it.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <vector>

#if PLACEMENT_BENCH_EIGEN
#  include <Eigen/Core>
#endif

namespace pl = placement;

static void report(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * state.range(0) * 3 *
                          static_cast<std::int64_t>(sizeof(float)));
}

static void saxpy_raw(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  std::vector<float> x(n, 1), y(n, 2), z(n);
  for (auto _ : state) {
    for (std::size_t i = 0; i != n; ++i) z[i] = 2.f * x[i] + y[i];
    benchmark::ClobberMemory();
  }
  report(state);
}

#if PLACEMENT_BENCH_EIGEN
static void saxpy_eigen(benchmark::State& state) {
  Eigen::ArrayXf x = Eigen::ArrayXf::Constant(state.range(0), 1), y = x, z = x;
  for (auto _ : state) {
    z = 2.f * x + y;
    benchmark::ClobberMemory();
  }
  report(state);
}
#endif

static void saxpy_placement(benchmark::State& state) {
  pl::with_device scope(pl::cpu<0>);
  pl::tensor x = pl::iota(state.range(0), 0.f);
  pl::tensor y = x + 1.f, z = x + y;
  for (auto _ : state) {
    z = 2.f * x + y;
    benchmark::ClobberMemory();
  }
  report(state);
}

static void bias_relu_placement(benchmark::State& state) {
  pl::with_device scope(pl::cpu<0>);
  pl::tensor x = pl::reshape(pl::iota(state.range(0), 0.f), pl::shape(state.range(0) / 256, 256));
  pl::tensor bias = pl::iota(256, -100.f);
  pl::tensor z = x + 1.f;
  for (auto _ : state) {
    z = pl::relu(x + bias);
    benchmark::ClobberMemory();
  }
  report(state);
}

BENCHMARK(saxpy_raw)->Range(1 << 10, 1 << 24);
#if PLACEMENT_BENCH_EIGEN
BENCHMARK(saxpy_eigen)->Range(1 << 10, 1 << 24);
#endif
BENCHMARK(saxpy_placement)->Range(1 << 10, 1 << 24);
BENCHMARK(bias_relu_placement)->Range(1 << 10, 1 << 24);
