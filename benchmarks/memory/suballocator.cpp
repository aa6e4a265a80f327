// The suballocator on four traces, beside std::pmr's pool and malloc. Malloc is that of mimalloc or
// jemalloc if it is preloaded. The time is per operation.
#include <placement/memory/arena.hpp>

#include <benchmark/benchmark.h>

#include <memory/replay.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <memory_resource>

namespace {

using placement::detail::arena;

/// The loop over the trace alone, which is part of each figure.
void loop_alone(benchmark::State& state) {
  std::size_t last = 0;
  traces::replay(
      state, [&](std::size_t size) { return reinterpret_cast<void*>((last += size) | 1); },
      [](void* p, std::size_t) { benchmark::DoNotOptimize(p); });
}

void allocator_only(benchmark::State& state) {
  auto const a = std::make_unique<arena>();
  a->extend(std::size_t{16} << 30);
  traces::replay(
      state,
      [&](std::size_t size) {
        std::size_t const need = arena::rounded(size);
        return reinterpret_cast<void*>(a->offset(a->allocate(a->find(need), need)) + 1);
      },
      [&](void* p, std::size_t) { a->deallocate(reinterpret_cast<std::size_t>(p) - 1); });
}

/// In a process with one thread, the lock is two plain stores. See locked_pool.cpp for several
/// threads.
void pool_of_one_thread(benchmark::State& state) { traces::replay_on_a_pool(state); }

void malloc_and_free(benchmark::State& state) {
  traces::replay(
      state, [](std::size_t size) { return std::malloc(size); },
      [](void* at, std::size_t) { std::free(at); });
}

void pmr_pool(benchmark::State& state) {
  std::pmr::unsynchronized_pool_resource pool;
  traces::replay(
      state, [&](std::size_t size) { return pool.allocate(size, 256); },
      [&](void* at, std::size_t size) { pool.deallocate(at, size, 256); });
}

}  // namespace

BENCHMARK(loop_alone)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(allocator_only)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(pool_of_one_thread)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(malloc_and_free)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(pmr_pool)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
