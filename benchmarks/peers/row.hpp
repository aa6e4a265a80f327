#pragma once
/// Rows of the CPU table: one piece of work, done by several sides in one program.
///
/// A side is one file of a program's folder. It registers benchmarks named `row/side/size`.
/// table.py compares the sides of the same row and size.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace bench {

/// One side of a row at several sizes, or without a size.
struct row {
  template <class F> row(std::string const& name, F run) {
    benchmark::RegisterBenchmark(name.c_str(), run);
  }
  /// Sizes from `least` to `max`, each `step` times the one before.
  template <class F>
  row(std::string const& name, F run, std::int64_t least, std::int64_t max, int step) {
    auto* const sizes = benchmark::RegisterBenchmark(name.c_str(), run);
    for (std::int64_t size = least; size <= max; size *= step) sizes->Arg(size);
  }
};

/// The number of threads that each side may use: BENCH_THREADS in the environment, by default 1.
inline int threads() {
  char const* const said = std::getenv("BENCH_THREADS");
  return said != nullptr ? std::atoi(said) : 1;
}

/// The size of a run.
inline std::int64_t size_of(benchmark::State const& state) { return state.range(0); }
inline std::size_t count_of(benchmark::State const& state) {
  return static_cast<std::size_t>(state.range(0));
}

/// Records the bytes that `elements` elements moved, and the memory that they occupied.
inline void note_bytes(benchmark::State& state, std::int64_t elements, std::size_t moved,
                       std::size_t held) {
  state.SetBytesProcessed(state.iterations() * elements * static_cast<std::int64_t>(moved));
  state.counters["held"] = static_cast<double>(elements) * static_cast<double>(held);
}

}  // namespace bench
