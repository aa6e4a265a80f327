#include "rows.hpp"

#include <Eigen/Core>

using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static void softmax(benchmark::State& state) {
  std::vector<float> const from = bench::logits(state);
  matrix const x = Eigen::Map<matrix const>(from.data(), bench::size_of(state), bench::columns);
  matrix y = x;
  for (auto _ : state) {
    for (Eigen::Index i = 0; i != x.rows(); ++i) {
      y.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
      y.row(i) *= 1 / y.row(i).sum();
    }
    benchmark::ClobberMemory();
  }
  bench::note_softmax(state);
}
static bench::row const row = bench::softmax_row("eigen", softmax);
