// What placing and evaluating a tiny expression costs: 2 x 3 floats, a * b + c.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#if PLACEMENT_BENCH_EIGEN
#  include <Eigen/Core>
#endif

namespace pl = placement;

static void raw_loop(benchmark::State& state) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 2, 3, 4, 5, 6}, c[6] = {}, d[6];
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    for (int i = 0; i != 6; ++i) d[i] = a[i] * b[i] + c[i];
    benchmark::DoNotOptimize(d);
  }
}
BENCHMARK(raw_loop);

#if PLACEMENT_BENCH_EIGEN
static void eigen_new_dynamic(benchmark::State& state) {
  Eigen::ArrayXXf const a = Eigen::ArrayXXf::Random(2, 3), b = a, c = a;
  for (auto _ : state) {
    Eigen::ArrayXXf d = a * b + c;
    benchmark::DoNotOptimize(d.data());
  }
}
BENCHMARK(eigen_new_dynamic);
#endif

static void into_existing(benchmark::State& state) {
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  pl::tensor b = a * 2.f, c = a + 1.f, d = a + b;
  for (auto _ : state) {
    d = a * b + c;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(into_existing);

static void into_new(benchmark::State& state) {
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  pl::tensor b = a * 2.f, c = a + 1.f;
  for (auto _ : state) {
    pl::tensor d = a * b + c;
    benchmark::DoNotOptimize(d);
  }
}
BENCHMARK(into_new);

static void static_extents_into_existing(benchmark::State& state) {
  pl::tensor<float, pl::extents<2, 3>> a{{1, 2, 3}, {4, 5, 6}};
  pl::tensor b = a * 2.f, c = a + 1.f, d = a + b;
  for (auto _ : state) {
    d = a * b + c;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(static_extents_into_existing);

static void matmul_into_new(benchmark::State& state) {
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  pl::tensor b{{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}};
  for (auto _ : state) {
    pl::tensor c = pl::matmul(a, b);
    benchmark::DoNotOptimize(c);
  }
}
BENCHMARK(matmul_into_new);

template <int N> static auto deep(pl::operand auto const& x) {
  if constexpr (N == 0) return x;
  else return deep<N - 1>(x) + 1.f;
}
static void build_64_deep(benchmark::State& state) {
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  for (auto _ : state) {
    auto e = deep<64>(a);
    benchmark::DoNotOptimize(e);
  }
}
BENCHMARK(build_64_deep);
