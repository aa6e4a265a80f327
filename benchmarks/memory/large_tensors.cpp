// Large tensors on the CPU: allocated, written for the first time, and read. Compares the heap,
// which uses small pages and returns them to the system, with the library's pool.
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace pl = placement;

namespace {

std::size_t bytes_of(benchmark::State const& state) {
  return static_cast<std::size_t>(state.range(0)) << 20;
}

/// Allocates and writes three arrays, and computes the third from the others.
template <class Allocate, class Free>
void write_and_triad(benchmark::State& state, Allocate allocate, Free free) {
  std::size_t const n = bytes_of(state) / sizeof(float);
  for (auto _ : state) {
    float* arrays[3];
    for (float*& a : arrays) {
      a = allocate(n);
      for (std::size_t i = 0; i != n; ++i) a[i] = 1;
    }
    for (std::size_t i = 0; i != n; ++i) arrays[2][i] = arrays[0][i] * 2 + arrays[1][i];
    benchmark::DoNotOptimize(arrays[2][n / 2]);
    benchmark::ClobberMemory();
    for (float* a : arrays) free(a, n);
  }
  state.SetBytesProcessed(state.iterations() * 6 * state.range(0) << 20);
}

void on_the_heap(benchmark::State& state) {
  write_and_triad(
      state,
      [](std::size_t n) {
        return static_cast<float*>(::operator new(n * sizeof(float), std::align_val_t{64}));
      },
      [](float* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); });
}
void in_the_pool(benchmark::State& state) {
  pl::pool& pool = pl::pool_of(pl::cpu0);
  write_and_triad(
      state, [&](std::size_t n) { return static_cast<float*>(pool.allocate(n * sizeof(float))); },
      [&](float* p, std::size_t n) { pool.deallocate(p, n * sizeof(float)); });
}
/// As a user writes it: two operands that stay allocated, and a new tensor for each result.
void new_tensor(benchmark::State& state) {
  pl::with_device const scope("/cpu:0");
  auto const n = static_cast<pl::index_t>(bytes_of(state) / sizeof(float));
  using vector = pl::tensor<float, pl::dextents<1>>;
  vector const a = pl::ones<float>(n), b = pl::ones<float>(n);
  for (auto _ : state) {
    vector const c = a * 2.f + b;
    benchmark::DoNotOptimize(c.data());
  }
  state.SetBytesProcessed(state.iterations() * 3 * state.range(0) << 20);
}

}  // namespace

BENCHMARK(on_the_heap)->Arg(1)->Arg(4)->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK(in_the_pool)->Arg(1)->Arg(4)->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK(new_tensor)->Arg(1)->Arg(4)->Arg(64)->Unit(benchmark::kMicrosecond);
