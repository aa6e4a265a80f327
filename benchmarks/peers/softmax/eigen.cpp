#include "rows.hpp"

#include <Eigen/Core>

using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// f(row of the result, row of the operand) for each row.
template <class F> static auto by(F const& f) {
  return [f](benchmark::State& state, bench::matrix_shape const& shape) {
    std::vector<float> const from = bench::logits(shape);
    matrix const x = Eigen::Map<matrix const>(from.data(), shape.rows, shape.columns);
    matrix y = x;
    for (auto _ : state) {
      for (Eigen::Index i = 0; i != x.rows(); ++i) f(y.row(i), x.row(i));
      benchmark::ClobberMemory();
    }
    bench::note_third(state, y.data());
  };
}
static bench::softmax_rows const softmax("eigen", by([](auto y, auto const& x) {
                                           y = (x - x.maxCoeff()).exp();
                                           y *= 1 / y.sum();
                                         }));
static bench::log_softmax_rows const log_softmax("eigen", by([](auto y, auto const& x) {
                                                   float const largest = x.maxCoeff();
                                                   y = x - (largest +
                                                            std::log((x - largest).exp().sum()));
                                                 }));
static bench::layer_norm_rows const layer_norm("eigen", by([](auto y, auto const& x) {
                                                 y = x - x.mean();
                                                 y *= 1 /
                                                      std::sqrt(y.square().mean() + bench::epsilon);
                                               }));
