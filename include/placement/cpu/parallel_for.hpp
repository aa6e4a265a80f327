#pragma once
/// Execution policies of CPU kernels: the calling thread only, or several threads.

#include <placement/shape/extents.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// Describes work that can be partitioned.
struct work_size {
  index_t units;              ///< [0, units) can be partitioned at multiples of `grain`.
  index_t grain = 1;          ///< units that stay together.
  std::size_t cost = 0;       ///< approximate cost, in elements of one simple op.
  std::size_t bytes = 0;      ///< memory read and written.
  bool may_stream = false;    ///< the result may use non-temporal stores.
  int chunks_per_thread = 4;  ///< more than one balances the load between threads.
};

/// A chunk of the work: the units [begin, end). `streamed`: the chunk may use non-temporal stores,
/// because its results will leave the caches before they are read.
struct work_chunk {
  index_t begin, end;
  bool streamed = false;
};

/// Runs on the calling thread without any query. For work whose size is in its type.
struct seq {
  template <class F>
  PLACEMENT_ALWAYS_INLINE constexpr void parallel_for(work_size const& size, F const& chunk) const {
    chunk(work_chunk{0, size.units});
  }
};

namespace detail {

/// Below this cost, some 50 microseconds of memory-bound work, no other threads are used.
inline constexpr std::size_t min_parallel_cost = std::size_t{1} << 20;
/// Below this size all data fit into a cache.
inline constexpr std::size_t min_streamed_bytes = std::size_t{1} << 20;

using chunk_function = void (*)(void const* work, work_chunk const& chunk);

/// Runs large work: on the threads of the executor if `parallel`, else on this thread. Throws: the
/// exception of the first chunk that throws, by number.
[[gnu::cold]] void run_large(work_size const& size, chunk_function each, void const* work,
                             bool parallel);

/// Whether the processor's caches hold less than these bytes.
bool is_beyond_caches(std::size_t bytes) noexcept;
/// Writes bytes with non-temporal stores, if the CPU has them. `to` is a multiple of 16.
void stream_to(void* to, void const* from, std::size_t bytes) noexcept;

template <class F> [[gnu::noinline]] void run_chunk(void const* work, work_chunk const& chunk) {
  (*static_cast<F const*>(work))(chunk);
}

}  // namespace detail

/// Runs on the calling thread, and on others if the work is large. Results do not depend on the
/// number of threads.
struct par {
  bool is_parallel = true;  ///< false: other kernels run in parallel with this one

  template <class F> void parallel_for(work_size const& size, F const& chunk) const {
    if (size.cost < detail::min_parallel_cost && size.bytes < detail::min_streamed_bytes) [[likely]]
      detail::run_chunk<F>(&chunk, {0, size.units});
    else detail::run_large(size, &detail::run_chunk<F>, &chunk, is_parallel);
  }
};

namespace detail {
/// The policy of drivers that are compiled once.
constexpr par as_par(par on) { return on; }
constexpr par as_par(seq) { return {.is_parallel = false}; }
}  // namespace detail

}}  // namespace placement::v0_1
