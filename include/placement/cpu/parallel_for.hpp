#pragma once
/// Who does a kernel of the CPU: the calling thread alone, or several together.

#include <placement/shape/extents.hpp>

#include <cstddef>

namespace placement::inline v0_1 {

/// What a kernel says of work that may be cut into parts.
struct work_size {
  index_t units;              ///< [0, units) may be cut anywhere between whole grains
  index_t grain = 1;          ///< units that stay together
  std::size_t cost = 0;       ///< about how many elements it takes one simple op to
  std::size_t bytes = 0;      ///< of memory that it reads and writes
  bool may_stream = false;    ///< the result may be written past the caches
  int chunks_per_thread = 4;  ///< more than one, so that a thread that was kept waiting has fewer
};

/// A part of the work: the units from `begin` up to `end`. Streamed: what is written will not be
/// in a cache when it is read next, so it need not go through one.
struct work_chunk {
  index_t begin, end;
  bool streamed = false;
};

/// The calling thread, which asks nobody: for work whose size is in its type.
struct seq {
  template <class F>
  [[gnu::always_inline]] constexpr void parallel_for(work_size const& size, F const& chunk) const {
    chunk(work_chunk{0, size.units});
  }
};

namespace detail {

/// Below so many steps, some 50 microseconds where memory sets the pace, nobody is asked to help.
inline constexpr std::size_t min_parallel_cost = std::size_t{1} << 20;
/// Below so many bytes nothing is too large for a cache.
inline constexpr std::size_t min_streamed_bytes = std::size_t{1} << 20;

using chunk_function = void (*)(void const* work, work_chunk const& chunk);

/// Does large work: on the threads of the executor where `parallel`, else here. Throws: what a part
/// throws, the first of them by number.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void run_large(work_size const& size, chunk_function each,
                                            void const* work, bool parallel);

/// Writes bytes past the caches where the machine can; `to` lies at a multiple of 16.
template <class Once = void> void stream_to(void* to, void const* from, std::size_t bytes) noexcept;

template <class F> [[gnu::noinline]] void run_chunk(void const* work, work_chunk const& chunk) {
  (*static_cast<F const*>(work))(chunk);
}

}  // namespace detail

/// The calling thread, and others where there is enough to do. Results do not depend on how many.
struct par {
  bool is_parallel = true;  ///< false: the thread is one of several that work side by side

  template <class F> void parallel_for(work_size const& size, F const& chunk) const {
    if (size.cost < detail::min_parallel_cost && size.bytes < detail::min_streamed_bytes) [[likely]]
      detail::run_chunk<F>(&chunk, {0, size.units});
    else detail::run_large(size, &detail::run_chunk<F>, &chunk, is_parallel);
  }
};

}  // namespace placement::inline v0_1
