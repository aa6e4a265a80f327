#include "rows.hpp"

#include <algorithm>
#include <cmath>

static void of_row(float* y, float const* x) {
  float const max = *std::max_element(x, x + bench::columns);
  float sum = 0;
  for (std::int64_t j = 0; j != bench::columns; ++j) sum += y[j] = std::exp(x[j] - max);
  for (std::int64_t j = 0; j != bench::columns; ++j) y[j] /= sum;
}
static void softmax(benchmark::State& state) {
  std::vector<float> const x = bench::logits(state);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i != x.size(); i += bench::columns) of_row(&y[i], &x[i]);
    benchmark::ClobberMemory();
  }
  bench::note_softmax(state);
}
static bench::row const row = bench::softmax_row("loop", softmax);
