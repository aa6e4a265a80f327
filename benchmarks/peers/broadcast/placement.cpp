#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

static void bias_relu(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  pl::index_t const n = bench::size_of(state) * bench::columns;
  pl::tensor x =
      pl::reshape(pl::iota(n, -1.f, 1e-6f), pl::shape(n / bench::columns, bench::columns));
  pl::tensor bias = pl::iota(bench::columns, -0.5f, 1e-2f);
  pl::tensor y = x + 1.f;
  for (auto _ : state) {
    y = pl::relu(x + bias);
    benchmark::ClobberMemory();
  }
  bench::note_bias_relu(state);
}
static bench::row const row = bench::bias_relu_row("placement", bias_relu);
