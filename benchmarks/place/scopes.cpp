// What it costs to enter and leave a device scope, beside saving and restoring one thread-local int
// by hand.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

namespace pl = placement;

static thread_local int volatile by_hand = 0;

static void raw_save_restore(benchmark::State& state) {
  for (auto _ : state) {
    int const outer = by_hand;
    by_hand = 1;
    benchmark::ClobberMemory();
    by_hand = outer;
  }
}
BENCHMARK(raw_save_restore);

static void scope_of_a_tag(benchmark::State& state) {
  for (auto _ : state) {
    pl::with_device scope(pl::cpu<0>);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scope_of_a_tag);

static void scope_of_a_device(benchmark::State& state) {
  for (auto _ : state) {
    pl::with_device scope(pl::device{pl::kind::gpu, 1});
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scope_of_a_device);

static void scope_of_a_name(benchmark::State& state) {
  for (auto _ : state) {
    pl::with_device scope("/gpu:1");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scope_of_a_name);
