#pragma once
/// Definitions: partitions large work, and uses non-temporal stores for results beyond the caches.

#include <placement/config.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/stream.hpp>
#include <placement/device/configuration.hpp>
#include <placement/device/cpu.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/runtime/thread_pool.hpp>

#include <atomic>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// The bytes in a text such as "32768K"; 0 if it starts with no number.
constexpr std::size_t parse_bytes(std::string_view text) noexcept {
  std::size_t n = 0, at = 0;
  for (; at != text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    n = n * 10 + static_cast<std::size_t>(text[at] - '0');
  char const unit = at == text.size() ? ' ' : text[at];
  return n << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}
/// The size in bytes of the largest cache of a processor, from sysfs. sysconf may return that of a
/// whole socket, so it is the second choice. 32 MiB if both fail.
inline std::size_t last_level_cache_bytes() noexcept {
  static std::size_t const bytes = [] {
    if (std::size_t const found =
            parse_bytes(file_start("/sys/devices/system/cpu/cpu0/cache/index3/size")))
      return found;
    long const l3 = ::sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    long const max = l3 > l2 ? l3 : l2;
    return max > 0 ? static_cast<std::size_t>(max) : std::size_t{32} << 20;
  }();
  return bytes;
}

PLACEMENT_PROCESS_STATE inline constinit std::atomic<thread_pool*> pool_of_process{nullptr};

/// The library's own threads. After a fork() the child makes new ones, because threads stay in the
/// parent.
inline thread_pool& own_threads() {
  thread_pool* pool = pool_of_process.load(std::memory_order_acquire);
  while (pool == nullptr || !pool->is_ours()) {
    int const wanted = intra_op_threads();
    auto* const made = new thread_pool(wanted != 0 ? wanted : usable_processors());
    if (pool_of_process.compare_exchange_strong(pool, made, std::memory_order_acq_rel,
                                                std::memory_order_acquire))
      return *made;  // never deleted: its threads wait until the process ends
    delete made;
  }
  return *pool;
}
inline executor& executor_now() {
  executor* const chosen = chosen_executor.load();
  return chosen != nullptr ? *chosen : own_threads();
}

/// Work in chunks, and the exception of the first failed chunk.
class chunked_work {
 public:
  chunked_work(work_size const& size, chunk_function each, void const* work, bool streamed,
               int count)
      : size_(size), each_(each), work_(work), streamed_(streamed), count_(count) {}

  static void run(void* self, int number) noexcept {
    static_cast<chunked_work*>(self)->run(number);
  }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  void run(int number) noexcept {
    if (failed_.load(std::memory_order_relaxed) < number) return;
    try {
      each_(work_, {start_of(number), start_of(number + 1), streamed_});
      if (streamed_) finish_streams();
    } catch (...) { keep(std::current_exception(), number); }
  }
  /// Where chunk `number` begins: a multiple of the grain.
  index_t start_of(int number) const {
    index_t const grains = (size_.units + size_.grain - 1) / size_.grain;
    index_t const at = (grains / count_ * number + grains % count_ * number / count_) * size_.grain;
    return at < size_.units ? at : size_.units;
  }
  /// Keeps the exception of the lowest chunk number, as in sequential execution.
  void keep(std::exception_ptr thrown, int number) noexcept {
    lock_guard const guard(guard_);
    if (number >= failed_.load(std::memory_order_relaxed)) return;
    failed_.store(number, std::memory_order_relaxed);
    thrown_ = std::move(thrown);
  }

  work_size const& size_;
  chunk_function const each_;
  void const* const work_;
  bool const streamed_;
  int const count_;
  lock guard_;
  std::atomic<int> failed_{std::numeric_limits<int>::max()};
  std::exception_ptr thrown_;
};

PLACEMENT_INLINE bool is_beyond_caches(std::size_t bytes) noexcept {
  return bytes > last_level_cache_bytes();
}

PLACEMENT_INLINE void run_large(work_size const& size, chunk_function each, void const* work,
                                bool parallel) {
  bool const streamed = size.may_stream && is_beyond_caches(size.bytes);
  int count = 1;
  executor* by = nullptr;
  if (parallel && size.cost >= min_parallel_cost) {
    by = &executor_now();
    index_t const max = (size.units + size.grain - 1) / size.grain;
    if (int const threads = by->threads(); threads > 1) {
      int const wanted = threads * size.chunks_per_thread;
      count = max < wanted ? static_cast<int>(max) : wanted;
    }
  }
  if (count <= 1) {
    each(work, {0, size.units, streamed});
    if (streamed) finish_streams();
    return;
  }
  chunked_work all(size, each, work, streamed, count);
  by->run(count, &chunked_work::run, &all);
  all.rethrow();
}

PLACEMENT_INLINE void stream_to(void* to, void const* from, std::size_t bytes) noexcept {
  stream_bytes(to, from, bytes);
}

}}}  // namespace placement::v0_1::detail
