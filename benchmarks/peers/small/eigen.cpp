#include "rows.hpp"

#include <Eigen/Core>

template <int N, int M> struct eigen {
  static constexpr char const* name = "eigen";
  using matrix = Eigen::Array<float, N, M, Eigen::RowMajor>;

  static void one_op(benchmark::State& state) {
    matrix a = matrix::Constant(1), b = matrix::Constant(2), c = matrix::Constant(3), d;
    for (auto _ : state) {
      benchmark::DoNotOptimize(a);
      d = a * b + c;
      benchmark::DoNotOptimize(d);
    }
  }
  static void five_ops(benchmark::State& state) {
    matrix a = matrix::Constant(1), b = matrix::Constant(2), c = matrix::Constant(3), d;
    for (auto _ : state) {
      benchmark::DoNotOptimize(a);
      d = (a + b) * c - a * b + 1.f;
      benchmark::DoNotOptimize(d);
    }
  }
};
static bench::row const one_op("static_2x3/eigen", eigen<2, 3>::one_op);
static bench::five_op_rows<eigen> const five_ops;

static void into_existing(benchmark::State& state) {
  Eigen::ArrayXXf const a = Eigen::ArrayXXf::Random(2, 3), b = a, c = a;
  Eigen::ArrayXXf d = a;
  for (auto _ : state) {
    d = a * b + c;
    benchmark::ClobberMemory();
  }
}
static void into_new(benchmark::State& state) {
  Eigen::ArrayXXf const a = Eigen::ArrayXXf::Random(2, 3), b = a, c = a;
  for (auto _ : state) {
    Eigen::ArrayXXf d = a * b + c;
    benchmark::DoNotOptimize(d.data());
    benchmark::ClobberMemory();
  }
}
static void sum_of_16(benchmark::State& state) {
  Eigen::ArrayXXf const a = Eigen::ArrayXXf::Random(2, 3);
  Eigen::ArrayXXf d = a;
  for (auto _ : state) {
    d = a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a;
    benchmark::ClobberMemory();
  }
}
static bench::row const placed_rows[] = {{"placed_2x3_into_existing/eigen", into_existing},
                                         {"placed_2x3_into_new/eigen", into_new},
                                         {"placed_2x3_sum_of_16/eigen", sum_of_16}};
