// The cost of a result that begins a small number of bytes behind an operand, modulo 4 KiB: plain
// loops over arrays of 8 and of 128 KiB, the worst of several distances. Each operand begins the
// same number of bytes behind a page. Tensors of placement begin at multiples of 1 KiB, and from 1
// MiB on at multiples of 256 bytes.
//
// bench_offsets     bytes behind, elements: nanoseconds for the best and for the worst distance
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

namespace {

constexpr std::size_t page = 4096;

[[gnu::noinline]] void triad(float* out, float const* a, float const* b, std::size_t n) {
  for (std::size_t i = 0; i != n; ++i) out[i] = a[i] + b[i] * 0.5f;
}

struct freed {
  void operator()(void* p) const { std::free(p); }
};

/// Seconds per pass over arrays that are `pages` pages apart.
double seconds_of_a_pass(std::byte* memory, std::size_t n, std::size_t pages, std::size_t behind) {
  auto const at = [&](std::size_t offset) { return reinterpret_cast<float*>(memory + offset); };
  float* const out = at(pages * page + behind);
  float const *const a = at(0), *const b = at(2 * pages * page + page / 2);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round != 20; ++round) {
    constexpr int passes = 100;
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i != passes; ++i) triad(out, a, b, n);
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / passes);
  }
  return best;
}

void distances(benchmark::State& state) {
  auto const behind = static_cast<std::size_t>(state.range(0));
  auto const n = static_cast<std::size_t>(state.range(1));
  std::size_t const least = n * sizeof(float) / page, max = least + 16;
  std::size_t const bytes = (2 * max + 1) * page + n * sizeof(float) + page;
  std::unique_ptr<void, freed> const memory(std::aligned_alloc(page, bytes / page * page + page));
  auto* const bytes_of_it = static_cast<std::byte*>(memory.get());
  std::fill_n(bytes_of_it, bytes, std::byte{});
  double best = 1, worst = 0;
  for (auto _ : state)
    for (std::size_t pages = least + 1; pages != max; ++pages) {
      double const s = seconds_of_a_pass(bytes_of_it, n, pages, behind);
      best = std::min(best, s);
      worst = std::max(worst, s);
    }
  state.counters["best_ns"] = best * 1e9;
  state.counters["worst_ns"] = worst * 1e9;
}
BENCHMARK(distances)
    ->ArgsProduct({{0, 16, 64, 128, 256, 512, 1024, 2048, 4032}, {2048, 32768}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
