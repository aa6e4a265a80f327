// Small tensors with device and shape in their types, beside a plain loop and, if it is found,
// Eigen's fixed-size matrices: one op and five ops on 2 x 3, 4 x 4 and 8 x 8.
#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#if PLACEMENT_BENCH_EIGEN
#  include <Eigen/Core>
#endif

namespace pl = placement;

namespace {

template <pl::index_t R, pl::index_t C>
using small = pl::tensor<float, pl::extents<R, C>, pl::dev<pl::kind::cpu, 0>>;

template <pl::index_t R, pl::index_t C> struct raw {
  float v[static_cast<std::size_t>(R * C)];
};

template <class M> void fill(M& m, float from) {
  for (std::size_t i = 0; i != sizeof(M) / sizeof(float); ++i)
    m.data()[i] = from + static_cast<float>(i) / 8;
}
template <pl::index_t R, pl::index_t C> void fill(raw<R, C>& m, float from) {
  for (pl::index_t i = 0; i != R * C; ++i) m.v[i] = from + static_cast<float>(i) / 8;
}

// Each formula is a noinline function in every variant. So all of them pass addresses, and the
// compiler cannot evaluate any at compile time.
template <pl::index_t R, pl::index_t C>
[[gnu::noinline]] void one_op(small<R, C>& o, small<R, C> const& a, small<R, C> const& b,
                              small<R, C> const& c) {
  o = a * b + c;
}
template <pl::index_t R, pl::index_t C>
[[gnu::noinline]] void five_ops(small<R, C>& o, small<R, C> const& a, small<R, C> const& b,
                                small<R, C> const& c) {
  o = (a * b + c - a) * b - c;
}
template <pl::index_t R, pl::index_t C>
[[gnu::noinline]] void one_op(raw<R, C>& o, raw<R, C> const& a, raw<R, C> const& b,
                              raw<R, C> const& c) {
  for (pl::index_t i = 0; i != R * C; ++i) o.v[i] = a.v[i] * b.v[i] + c.v[i];
}
template <pl::index_t R, pl::index_t C>
[[gnu::noinline]] void five_ops(raw<R, C>& o, raw<R, C> const& a, raw<R, C> const& b,
                                raw<R, C> const& c) {
  for (pl::index_t i = 0; i != R * C; ++i)
    o.v[i] = (a.v[i] * b.v[i] + c.v[i] - a.v[i]) * b.v[i] - c.v[i];
}
#if PLACEMENT_BENCH_EIGEN
template <int R, int C> using eigen = Eigen::Matrix<float, R, C, Eigen::RowMajor>;
template <int R, int C>
[[gnu::noinline]] void one_op(eigen<R, C>& o, eigen<R, C> const& a, eigen<R, C> const& b,
                              eigen<R, C> const& c) {
  o = a.cwiseProduct(b) + c;
}
template <int R, int C>
[[gnu::noinline]] void five_ops(eigen<R, C>& o, eigen<R, C> const& a, eigen<R, C> const& b,
                                eigen<R, C> const& c) {
  o = (a.cwiseProduct(b) + c - a).cwiseProduct(b) - c;
}
#endif

template <class M> void run_one(benchmark::State& state) {
  M o{}, a, b, c;
  fill(a, 1), fill(b, 2), fill(c, 3);
  for (M* m : {&o, &a, &b, &c}) benchmark::DoNotOptimize(m);
  for (auto _ : state) {
    one_op(o, a, b, c);
    benchmark::ClobberMemory();
  }
}
template <class M> void run_five(benchmark::State& state) {
  M o{}, a, b, c;
  fill(a, 1), fill(b, 2), fill(c, 3);
  for (M* m : {&o, &a, &b, &c}) benchmark::DoNotOptimize(m);
  for (auto _ : state) {
    five_ops(o, a, b, c);
    benchmark::ClobberMemory();
  }
}

}  // namespace

BENCHMARK(run_one<raw<2, 3>>)->Name("2x3_one_op/raw");
BENCHMARK(run_one<small<2, 3>>)->Name("2x3_one_op/placement");
BENCHMARK(run_five<raw<2, 3>>)->Name("2x3_five_ops/raw");
BENCHMARK(run_five<small<2, 3>>)->Name("2x3_five_ops/placement");
BENCHMARK(run_five<raw<4, 4>>)->Name("4x4_five_ops/raw");
BENCHMARK(run_five<small<4, 4>>)->Name("4x4_five_ops/placement");
BENCHMARK(run_five<raw<8, 8>>)->Name("8x8_five_ops/raw");
BENCHMARK(run_five<small<8, 8>>)->Name("8x8_five_ops/placement");
#if PLACEMENT_BENCH_EIGEN
BENCHMARK(run_one<eigen<2, 3>>)->Name("2x3_one_op/eigen");
BENCHMARK(run_five<eigen<2, 3>>)->Name("2x3_five_ops/eigen");
BENCHMARK(run_five<eigen<4, 4>>)->Name("4x4_five_ops/eigen");
BENCHMARK(run_five<eigen<8, 8>>)->Name("8x8_five_ops/eigen");
#endif
