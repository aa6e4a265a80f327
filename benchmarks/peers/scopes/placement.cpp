#include <ours.hpp>

namespace pl = placement;

static void of_a_tag(benchmark::State& state) {
  for (auto _ : state) {
    pl::with_device const scope(pl::cpu<0>);
    benchmark::ClobberMemory();
  }
}
static void of_a_device(benchmark::State& state) {
  pl::device device{pl::kind::gpu, 1};
  benchmark::DoNotOptimize(device);
  for (auto _ : state) {
    pl::with_device const scope(device);
    benchmark::ClobberMemory();
  }
}
static void of_a_name(benchmark::State& state) {
  for (auto _ : state) {
    pl::with_device const scope("/gpu:1");
    benchmark::ClobberMemory();
  }
}
static bench::row const rows[] = {{"scope_of_a_tag/placement", of_a_tag},
                                  {"scope_of_a_device/placement", of_a_device},
                                  {"scope_of_a_name/placement", of_a_name}};
