// A copy, which moves the same bytes.

#include <memory.hpp>

#include "rows.hpp"

#include <cstring>

static void copy(benchmark::State& state, bench::matrix_shape const& shape) {
  bench::aligned<float> const x(shape.size(), 1), y(shape.size(), 0);
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), shape.size() * sizeof(float));
    benchmark::ClobberMemory();
  }
}
static bench::softmax_rows const softmax("limit", copy);
static bench::log_softmax_rows const log_softmax("limit", copy);
static bench::layer_norm_rows const layer_norm("limit", copy);
