// Steps of towers: what the machinery itself takes, and two towers of 1,000 images beside one tower
// of 2,000 on one core. A row of two towers states the CPU seconds of a step, too: where cores are
// shared, the speed on free cores follows from them.
#include "../../examples/mnist_conv/nets.hpp"

#include <placement/parallel.hpp>

#include <placement/ops/arange.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <utility>

namespace pl = placement;
namespace nn = pl::nn;
namespace par = placement::parallel;

namespace {

/// One thread for each device, chosen before the first use of a device.
bool const settings_are_made = setenv("PLACEMENT_SIMULATED_GPUS", "4", 0) == 0 &&
                               setenv("PLACEMENT_INTRA_OP_THREADS", "1", 0) == 0;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A step whose function does nothing.
void empty_run(benchmark::State& state, par::tower_threads threads) {
  par::towers const towers(static_cast<int>(state.range(0)), {.threads = threads});
  for (auto _ : state) towers.run([](par::tower const& t) { benchmark::DoNotOptimize(t.index()); });
}
/// The same with a model of eight variables, which each tower gets.
void empty_run_of_a_model(benchmark::State& state, par::tower_threads threads) {
  par::replicated model(par::towers(static_cast<int>(state.range(0)), {.threads = threads}),
                        mnist::net_a(), par::mirrored{});
  for (auto _ : state)
    model.run([](par::tower const& t, auto&) { benchmark::DoNotOptimize(t.index()); });
}

template <class Net> void step(benchmark::State& state, Net net) {
  int const count = static_cast<int>(state.range(0));
  constexpr pl::index_t images = 2000;
  par::replicated model(par::towers(count), std::move(net), par::mirrored{});
  nn::adam adam(0.001);
  pl::with_device const on_cpu("/cpu:0");
  auto const x = pl::tensor<float, pl::extents<pl::dyn, 28, 28, 1>>(
      pl::uniform<float>(pl::extents<pl::dyn, 28, 28, 1>{{images, 28, 28, 1}}));
  pl::tensor<int, pl::dextents<1>> const y = pl::arange<int>(static_cast<int>(images)) % 10;
  double cpu = 0;
  for (auto _ : state) {
    double const begin = cpu_seconds();
    auto const losses = model.minimize(adam, [&](par::tower const& t, Net& m) {
      return mnist::loss_of(m, t.slice(x), t.slice(y));
    });
    for (auto const& l : losses) benchmark::DoNotOptimize(pl::item(l));
    cpu += cpu_seconds() - begin;
  }
  state.counters["cpu_ms"] = benchmark::Counter(1000 * cpu, benchmark::Counter::kAvgIterations);
}
void step_of_net_a(benchmark::State& state) { step(state, mnist::net_a()); }
void step_of_net_b(benchmark::State& state) { step(state, mnist::net_b()); }

constexpr auto one = par::tower_threads::one, per_tower = par::tower_threads::per_tower;
BENCHMARK_CAPTURE(empty_run, one_thread, one)->Arg(2)->Arg(4)->UseRealTime();
BENCHMARK_CAPTURE(empty_run, threads, per_tower)->Arg(2)->Arg(4)->UseRealTime();
BENCHMARK_CAPTURE(empty_run_of_a_model, one_thread, one)->Arg(2)->Arg(4)->UseRealTime();
BENCHMARK_CAPTURE(empty_run_of_a_model, threads, per_tower)->Arg(2)->Arg(4)->UseRealTime();
BENCHMARK(step_of_net_a)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_net_b)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
