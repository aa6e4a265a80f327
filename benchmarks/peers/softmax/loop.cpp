#include "rows.hpp"

#include <cmath>

/// f(row of the result, row of the operand, columns) for each row.
template <class F> static auto by(F const& f) {
  return [f](benchmark::State& state, bench::matrix_shape const& shape) {
    std::vector<float> const x = bench::logits(shape);
    std::vector<float> y(x.size());
    auto const columns = static_cast<std::size_t>(shape.columns);
    for (auto _ : state) {
      for (std::size_t i = 0; i != x.size(); i += columns) f(&y[i], &x[i], columns);
      benchmark::ClobberMemory();
    }
    bench::note_third(state, y.data());
  };
}
static void softmax_of(float* y, float const* x, std::size_t n) {
  float const max = *std::max_element(x, x + n);
  float sum = 0;
  for (std::size_t j = 0; j != n; ++j) sum += y[j] = std::exp(x[j] - max);
  for (std::size_t j = 0; j != n; ++j) y[j] /= sum;
}
static void log_softmax_of(float* y, float const* x, std::size_t n) {
  float const max = *std::max_element(x, x + n);
  float sum = 0;
  for (std::size_t j = 0; j != n; ++j) sum += std::exp(x[j] - max);
  float const logarithm = max + std::log(sum);
  for (std::size_t j = 0; j != n; ++j) y[j] = x[j] - logarithm;
}
static void layer_norm_of(float* y, float const* x, std::size_t n) {
  float sum = 0, squares = 0;
  for (std::size_t j = 0; j != n; ++j) sum += x[j];
  float const mean = sum / static_cast<float>(n);
  for (std::size_t j = 0; j != n; ++j) squares += (x[j] - mean) * (x[j] - mean);
  float const scale = 1 / std::sqrt(squares / static_cast<float>(n) + bench::epsilon);
  for (std::size_t j = 0; j != n; ++j) y[j] = (x[j] - mean) * scale;
}
static bench::softmax_rows const softmax("loop", by(softmax_of));
static bench::log_softmax_rows const log_softmax("loop", by(log_softmax_of));
static bench::layer_norm_rows const layer_norm("loop", by(layer_norm_of));
