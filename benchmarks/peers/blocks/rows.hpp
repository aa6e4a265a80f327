#pragma once
/// A block of memory, allocated and deallocated, by its bytes. Heap: as of tensors below 1 MiB.
/// Pool: as of larger tensors and of containers.

#include <row.hpp>

namespace bench {

/// A side of a row. allocate(bytes) -> a pointer; deallocate(pointer, bytes).
template <class Allocate, class Deallocate>
row block_row(char const* work, char const* side, Allocate allocate, Deallocate deallocate) {
  auto const run = [allocate, deallocate](benchmark::State& state) {
    std::size_t const bytes = count_of(state);
    for (auto _ : state) {
      void* p = allocate(bytes);
      benchmark::DoNotOptimize(p);
      deallocate(p, bytes);
    }
  };
  return {std::string(work) + "/" + side, run, 1 << 8, 1 << 16, 4};
}

}  // namespace bench
