#include "rows.hpp"

#include <Eigen/Core>

using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static void bias_relu(benchmark::State& state) {
  matrix const x = matrix::Random(bench::size_of(state), bench::columns);
  Eigen::Array<float, 1, Eigen::Dynamic> const bias = x.row(0);
  matrix y = x;
  for (auto _ : state) {
    y = (x.rowwise() + bias).max(0.f);
    benchmark::ClobberMemory();
  }
  bench::note_bias_relu(state);
}
template <class F> static void square(benchmark::State& state, F const& f) {
  matrix const x = matrix::Random(bench::size_of(state), bench::size_of(state));
  matrix y = x;
  for (auto _ : state) {
    f(y, x);
    benchmark::ClobberMemory();
  }
  bench::note_square(state);
}
static void transpose(benchmark::State& state) {
  square(state, [](matrix& y, matrix const& x) { y = x.transpose(); });
}
static void plus_transpose(benchmark::State& state) {
  square(state, [](matrix& y, matrix const& x) { y = x + x.transpose(); });
}
static bench::row const biased = bench::bias_relu_row("eigen", bias_relu);
static bench::row const turned = bench::square_row("transpose", "eigen", transpose);
static bench::row const both = bench::square_row("plus_transpose", "eigen", plus_transpose);
