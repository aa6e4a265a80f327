#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

static void softmax(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  auto const shape = pl::shape(bench::size_of(state), bench::columns);
  auto const x = pl::from(bench::logits(state), shape);
  auto y = x;
  for (auto _ : state) {
    y = pl::softmax(x);
    benchmark::ClobberMemory();
  }
  bench::note_softmax(state);
}
static bench::row const row = bench::softmax_row("placement", softmax);
