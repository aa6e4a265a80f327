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
template <class F> static void square(benchmark::State& state, F const& f) {
  std::size_t const n = bench::count_of(state);
  std::vector<float> const x(n * n, 1);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i != n; ++i)
      for (std::size_t j = 0; j != n; ++j) y[i * n + j] = f(x[i * n + j], x[j * n + i]);
    benchmark::ClobberMemory();
  }
  bench::note_square(state);
}
static void transpose(benchmark::State& state) {
  square(state, [](float, float turned) { return turned; });
}
static void plus_transpose(benchmark::State& state) {
  square(state, [](float x, float turned) { return x + turned; });
}
static bench::row const biased = bench::bias_relu_row("loop", bias_relu);
static bench::row const turned = bench::square_row("transpose", "loop", transpose);
static bench::row const both = bench::square_row("plus_transpose", "loop", plus_transpose);
