// The suballocator on four traces, beside malloc, std::pmr's pools, mimalloc and jemalloc where
// they are found. Time is per operation. `capacity` is the least range in which the trace runs,
// over its peak.
#include <placement/device/cpu.hpp>
#include <placement/memory/arena.hpp>
#include <placement/memory/pool.hpp>

#include <benchmark/benchmark.h>

#include <memory/traces.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <thread>
#include <utility>
#include <vector>

namespace {

using placement::detail::arena;
using placement::detail::no_block;

constexpr std::size_t steps = 200'000;

traces::trace const& trace_of(std::int64_t which) {
  static traces::trace const all[] = {
      traces::last_in_first_out(steps), traces::random_slots(steps, 64 << 20),
      traces::random_slots(steps, 64 << 10), traces::training(steps)};
  return all[which];
}
char const* name_of(std::int64_t which) {
  constexpr char const* names[] = {"last in first out", "random to 64 MiB", "random to 64 KiB",
                                   "training"};
  return names[which];
}

/// Whether the trace runs in a range of this size.
bool fits(traces::trace const& t, std::size_t capacity) {
  auto const a = std::make_unique<arena>();
  a->extend(capacity);
  std::vector<std::size_t> at(t.slots);
  for (traces::step const& s : t.steps) {
    if (s.size == 0) {
      a->give(at[s.slot]);
      continue;
    }
    auto const gap = a->find(arena::rounded(s.size));
    if (gap == no_block) return false;
    at[s.slot] = a->offset(a->take(gap, arena::rounded(s.size)));
  }
  return true;
}
double capacity_over_live(traces::trace const& t) {
  double ratio = 1;
  while (
      !fits(t, traces::rounded(static_cast<std::size_t>(static_cast<double>(t.peak_live) * ratio))))
    ratio += 0.005;
  return ratio;
}

/// Runs the trace on what `allocate(size)` gives and `free(p, size)` takes.
template <class Allocate, class Free>
void run(traces::trace const& t, Allocate allocate, Free free) {
  struct live {
    void* at = nullptr;
    std::size_t size = 0;
  };
  std::vector<live> slots(t.slots);
  for (traces::step const& s : t.steps) {
    live& slot = slots[s.slot];
    if (s.size != 0) slot = {allocate(s.size), s.size};
    else free(std::exchange(slot.at, nullptr), slot.size);
  }
  for (live const& slot : slots)
    if (slot.at != nullptr) free(slot.at, slot.size);
}
template <class Allocate, class Free>
void measure(benchmark::State& state, Allocate allocate, Free free) {
  traces::trace const& t = trace_of(state.range(0));
  for (auto _ : state) run(t, allocate, free);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(t.steps.size()));
  state.counters["ns_per_op"] = benchmark::Counter(
      static_cast<double>(t.steps.size()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetLabel(name_of(state.range(0)));
}

void books_only(benchmark::State& state) {
  auto const a = std::make_unique<arena>();
  a->extend(std::size_t{16} << 30);
  measure(
      state,
      [&](std::size_t size) {
        std::size_t const need = arena::rounded(size);
        return reinterpret_cast<void*>(a->offset(a->take(a->find(need), need)) + 1);
      },
      [&](void* p, std::size_t) { a->give(reinterpret_cast<std::size_t>(p) - 1); });
  state.counters["capacity"] = capacity_over_live(trace_of(state.range(0)));
}

void pool_of_one_thread(benchmark::State& state) {
  placement::cpu_platform host;
  placement::logical_device d;
  d.id = placement::gpu0;
  d.owner = &host;
  d.memory_limit = std::size_t{16} << 30;
  placement::pool p(d);
  measure(
      state, [&](std::size_t size) { return p.allocate(size); },
      [&](void* at, std::size_t size) { p.deallocate(at, size); });
}

/// While there is a second thread, the lock is one: taken and left by two locked instructions.
void pool_with_a_lock(benchmark::State& state) {
  std::atomic<bool> done{false};
  std::thread other([&] { done.wait(false); });
  pool_of_one_thread(state);
  done = true;
  done.notify_one();
  other.join();
}

void malloc_and_free(benchmark::State& state) {
  measure(
      state, [](std::size_t size) { return std::malloc(size); },
      [](void* at, std::size_t) { std::free(at); });
}

void pmr_pool(benchmark::State& state) {
  std::pmr::unsynchronized_pool_resource pool;
  measure(
      state, [&](std::size_t size) { return pool.allocate(size, 256); },
      [&](void* at, std::size_t size) { pool.deallocate(at, size, 256); });
}

}  // namespace

BENCHMARK(books_only)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(pool_of_one_thread)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(pool_with_a_lock)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(malloc_and_free)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(pmr_pool)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
