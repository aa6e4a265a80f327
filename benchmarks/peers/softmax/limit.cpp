// A copy, which moves the same bytes.

#include <memory.hpp>

#include "rows.hpp"

#include <cstring>

static void softmax(benchmark::State& state) {
  std::size_t const n = bench::count_of(state) * bench::columns;
  bench::aligned<float> const x(n, 1), y(n, 0);
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), n * sizeof(float));
    benchmark::ClobberMemory();
  }
  bench::note_softmax(state);
}
static bench::row const row = bench::softmax_row("limit", softmax);
