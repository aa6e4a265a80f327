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
static bench::row const row = bench::bias_relu_row("eigen", bias_relu);
