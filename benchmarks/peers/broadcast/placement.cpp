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
template <class F> static void square(benchmark::State& state, F const& f) {
  pl::with_device const scope(pl::cpu<0>);
  pl::index_t const n = bench::size_of(state);
  pl::tensor x = pl::reshape(pl::iota(n * n, -1.f, 1e-6f), pl::shape(n, n));
  pl::tensor y = x + 1.f;
  for (auto _ : state) {
    f(y, x);
    benchmark::ClobberMemory();
  }
  bench::note_square(state);
}
static void transpose(benchmark::State& state) {
  square(state, [](auto& y, auto const& x) { y = pl::transpose(x); });
}
static void plus_transpose(benchmark::State& state) {
  square(state, [](auto& y, auto const& x) { y = x + pl::transpose(x); });
}
static bench::row const biased = bench::bias_relu_row("placement", bias_relu);
static bench::row const turned = bench::square_row("transpose", "placement", transpose);
static bench::row const both = bench::square_row("plus_transpose", "placement", plus_transpose);
