#include "rows.hpp"

#include <vector>

static void bias_relu(benchmark::State& state) {
  std::size_t const n = bench::count_of(state);
  std::vector<float> const x(n * bench::columns, 1), bias(bench::columns, -0.5f);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i != n; ++i)
      for (std::size_t j = 0; j != bench::columns; ++j) {
        float const v = x[i * bench::columns + j] + bias[j];
        y[i * bench::columns + j] = v < 0 ? 0 : v;
      }
    benchmark::ClobberMemory();
  }
  bench::note_bias_relu(state);
}
static bench::row const row = bench::bias_relu_row("loop", bias_relu);
