#pragma once
/// Replays a trace on an allocator as a benchmark. The time is per operation and includes the loop
/// over the trace.

#include <placement/device/cpu.hpp>
#include <placement/memory/pool.hpp>

#include <benchmark/benchmark.h>

#include <memory/traces.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace traces {

inline constexpr std::size_t steps = 200'000;

inline trace const& trace_of(std::int64_t which) {
  static trace const all[] = {last_in_first_out(steps), random_slots(steps, 64 << 20),
                              random_slots(steps, 64 << 10), training(steps)};
  return all[which];
}
inline char const* name_of(std::int64_t which) {
  constexpr char const* names[] = {"last in first out", "random to 64 MiB", "random to 64 KiB",
                                   "training"};
  return names[which];
}

/// Runs the trace with `allocate(size)` and `free(p, size)`.
template <class Allocate, class Free> void run(trace const& t, Allocate allocate, Free free) {
  struct live {
    void* at = nullptr;
    std::size_t size = 0;
  };
  std::vector<live> slots(t.slots);
  for (step const& s : t.steps) {
    live& slot = slots[s.slot];
    if (s.size != 0) slot = {allocate(s.size), s.size};
    else free(std::exchange(slot.at, nullptr), slot.size);
  }
  for (live const& slot : slots)
    if (slot.at != nullptr) free(slot.at, slot.size);
}
template <class Allocate, class Free>
void replay(benchmark::State& state, Allocate allocate, Free free) {
  trace const& t = trace_of(state.range(0));
  for (auto _ : state) run(t, allocate, free);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(t.steps.size()));
  state.counters["ns_per_op"] = benchmark::Counter(
      static_cast<double>(t.steps.size()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetLabel(name_of(state.range(0)));
}

/// Replays on a pool of 16 GiB.
inline void replay_on_a_pool(benchmark::State& state) {
  placement::cpu_platform host;
  placement::logical_device d;
  d.id = placement::gpu0;
  d.owner = &host;
  d.memory_limit = std::size_t{16} << 30;
  placement::pool p(d);
  replay(
      state, [&](std::size_t size) { return p.allocate(size); },
      [&](void* at, std::size_t size) { p.deallocate(at, size); });
}

}  // namespace traces
