#pragma once
/// The memory of one logical device, for any thread: blocks, their call sites, and the
/// out_of_memory error.

#include <placement/device/logical_device.hpp>
#include <placement/memory/allocation_tracker.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/device_allocator.hpp>
#include <placement/memory/oom_message.hpp>
#include <placement/memory/stats.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/fork.ipp>
#include <placement/src/memory/memory_observer.ipp>
#include <placement/src/memory/wrong_free.ipp>

#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

namespace placement { inline namespace v0_1 {

/// Allocates blocks of one logical device. The queue of an allocation may use the block
/// immediately. If another queue used the memory before, an event orders its work first.
/// Thread: safe. Cost: constant, under a lock; no call to the platform while reserved memory
/// suffices.
class pool {
 public:
  static constexpr std::size_t granule = detail::arena::granule;

  /// The device must outlive the pool. Reserves nothing yet.
  explicit pool(logical_device const& d) : device_(d), allocator_(d) {}
  /// The same; the device's queue is closed with the pool, and opened again for a later allocation.
  pool(logical_device& d, queue* own_queue) : device_(d), own_queue_(own_queue), allocator_(d) {}
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  /// At least `size` bytes, aligned to 256, for work of the device's own queue; nullptr for size 0.
  /// Strong guarantee. Throws: out_of_memory.
  void* allocate(std::size_t size, call_site const& caller = {}) {
    if (queue_closed_.load(std::memory_order_acquire)) [[unlikely]]
      reopen_queue();
    return allocate(size, device_.work, caller);
  }
  /// The same for work of another queue. Throws: also what the platform throws for events.
  void* allocate(std::size_t size, queue user, call_site const& caller = {});

  /// Registers another queue whose work uses the block. Once the block is free, its next user waits
  /// for that work. Throws: invalid_argument if no block begins at p; what the platform throws for
  /// events.
  void used_by(void const* p, queue user) try {
    lock_guard const guard(lock_);
    if (!allocator_.add_user(p, user)) detail::throw_unknown_block(device_.id);
  } catch (...) { detail::rethrow_as_error(); }

  /// Deallocates a block; `size` is the requested size. All work on the block must be enqueued
  /// before the call. nullptr is ignored. A wrong deallocation changes nothing and goes to the
  /// handler: see set_wrong_free_handler.
  void deallocate(void* p, std::size_t size) noexcept;

  /// Releases unused memory to the device as far as possible; returns the number of bytes.
  /// Throws: what the platform throws while it waits for work; then less is released.
  std::size_t trim();

  /// Releases the memory and closes the queue as soon as no block is in use.
  void close() noexcept {
    lock_guard const guard(lock_);
    closing_ = true;
    close_if_unused();
  }
  /// For a pool that is made after all pools and the device's queue were closed.
  void begin_closed() noexcept {
    closing_ = true;
    queue_closed_.store(own_queue_ != nullptr, std::memory_order_release);
  }

  memory_stats stats() const {
    lock_guard const guard(lock_);
    return stats_now();
  }
  /// Resets the peak to the bytes in use.
  void reset_peak() noexcept {
    lock_guard const guard(lock_);
    peak_ = allocator_.in_use();
    allocator_.reset_peak();
  }
  /// Throws the error for a failed request to the host's heap, with the statistics of this pool.
  [[noreturn]] void throw_for_heap(std::size_t size, call_site const& caller) {
    lock_guard const guard(lock_);
    throw_out_of_memory({size, caller, "the heap has no more"});
  }
  /// The usage of each call site, largest first.
  std::vector<call_site_usage> usage_by_call_site() const try {
    lock_guard const guard(lock_);
    return tracker_.list();
  } catch (...) { detail::rethrow_as_error(); }
  /// The part of this pool's memory that has an address, for messages. Cost: linear.
  detail::memory_part part_at(void const* p) const noexcept;
  /// Calls f(offset, size, free) for each free and used part, in the order of addresses. For
  /// drawing.
  template <class F> void for_each_part(F&& f) const {
    lock_guard const guard(lock_);
    allocator_.for_each_part([&](auto, detail::block const& b) { f(b.offset, b.size, b.free()); });
  }
  /// Locks the pool around fork(), so that a child gets consistent allocator state.
  void lock_for_fork() noexcept { lock_.lock_for_fork(); }
  void after_fork() noexcept { lock_.after_fork(); }
  /// Whether allocator state and tracker are consistent. Cost: linear; for tests.
  bool check_invariants() const {
    lock_guard const guard(lock_);
    return allocator_.check_invariants() && peak_ >= allocator_.in_use() &&
           tracker_.adds_up_to(allocator_.in_use(), allocator_.blocks_in_use());
  }

  logical_device const& where() const noexcept { return device_; }

 private:
  void* allocate_observed(std::size_t size, queue user, call_site const& caller);
  void* allocate_locked(std::size_t size, queue user, call_site const& caller);
  void handle_wrong_free(void const* p, std::size_t size) const noexcept;
  std::size_t trim_host(std::size_t freed) noexcept;
  void close_if_unused() noexcept;
  void reopen_queue();
  memory_stats stats_now() const noexcept {
    memory_stats now = allocator_.stats();
    now.peak = peak_;
    if (device_.stream_ordered) now.peak_reserved = peak_;
    now.total_allocations = allocated_;
    now.failures = refused_;
    now.largest_allocation = largest_;
    now.queued = device_.owner->queued_bytes(device_.work);
    return now;
  }
  [[noreturn]] void throw_out_of_memory(detail::failed_request const& r);

  logical_device const& device_;
  queue* own_queue_ = nullptr;
  detail::device_allocator allocator_;
  detail::allocation_tracker tracker_;
  std::size_t peak_ = 0, largest_ = 0;
  std::size_t allocated_ = 0, refused_ = 0;  ///< requests so far
  std::size_t freed_ = 0;                    ///< on the CPU, since the last trim_host() check
  bool closing_ = false;
  std::atomic<bool> queue_closed_{false};
  mutable lock lock_;
};

inline void* pool::allocate(std::size_t size, queue user, call_site const& caller) {
  detail::throw_if_forked(device_.id);
  if (size == 0) return nullptr;
  if (detail::has_memory_observer()) [[unlikely]]
    return allocate_observed(size, user, caller);
  lock_guard const guard(lock_);
  return allocate_locked(size, user, caller);
}

/// The same, and notifies the observer.
inline void* pool::allocate_observed(std::size_t size, queue user, call_site const& caller) {
  void* p = nullptr;
  std::size_t more = 0;
  try {
    lock_guard const guard(lock_);
    std::size_t const before = allocator_.backed();
    p = allocate_locked(size, user, caller);
    more = allocator_.backed() - before;
  } catch (...) {
    detail::notify_memory_observer({memory_action::fail, device_.id, size, caller});
    throw;
  }
  if (more != 0) detail::notify_memory_observer({memory_action::reserve, device_.id, more, caller});
  detail::notify_memory_observer(
      {memory_action::allocate, device_.id, detail::arena::rounded(size), caller});
  return p;
}

/// All steps that may fail come first: bookkeeping, then the device. Taking the gap cannot fail.
inline void* pool::allocate_locked(std::size_t size, queue user, call_site const& caller) {
  std::size_t const need = detail::arena::rounded(size);
  if (need == 0 || need > allocator_.limit()) throw_out_of_memory({size, caller});
  detail::block_id block = detail::no_block;
  detail::allocation_tracker::entry_id entry = 0;
  try {
    detail::queue_user const by = allocator_.prepare(user);
    entry = tracker_.prepare(caller, allocator_.ids());
    block = allocator_.allocate(need, by);
  } catch (out_of_memory const& e) {
    throw_out_of_memory({size, caller, e.what()});
  } catch (std::bad_alloc const&) {
    throw_out_of_memory({size, caller, "The host has no memory for the allocator state"});
  }
  if (block == detail::no_block) throw_out_of_memory({size, caller});
  tracker_.record_allocation(block, entry, need);
  ++allocated_;
  if (need > largest_) largest_ = need;
  if (allocator_.in_use() > peak_) peak_ = allocator_.in_use();
  return allocator_.address(block);
}

/// Counts the failure. The host may have no memory for the message.
[[noreturn, gnu::cold, gnu::noinline]] inline void pool::throw_out_of_memory(
    detail::failed_request const& r) try {
  ++refused_;
  throw out_of_memory(detail::oom_message(device_, stats_now(), r, tracker_.list()));
} catch (...) { detail::rethrow_as_error(); }

inline void pool::deallocate(void* p, std::size_t size) noexcept {
  if (p == nullptr || detail::lost_by_fork(device_.id)) return;  // the memory is the parent's
  std::size_t const need = detail::arena::rounded(size);
  bool const observed = detail::has_memory_observer();
  call_site caller;
  std::size_t released_bytes = 0;
  bool right = false;
  {
    lock_guard const guard(lock_);
    detail::block_id const block = allocator_.find(p);
    right = block != detail::no_block && allocator_.size(block) == need;
    if (right) [[likely]] {
      if (observed) [[unlikely]]
        caller = tracker_.of(block);
      if (allocator_.used_by_one(block, device_.work)) device_.owner->retire(device_.work, p, need);
      allocator_.deallocate(p);
      tracker_.record_deallocation(block, need);
      if (device_.id.is_cpu()) released_bytes = trim_host(need);
      if (closing_) close_if_unused();
    }
  }
  if (!right) [[unlikely]]
    return handle_wrong_free(p, size);
  if (observed) [[unlikely]]
    detail::notify_memory_observer({memory_action::free, device_.id, need, caller});
  if (released_bytes != 0 && observed)
    detail::notify_memory_observer({memory_action::release, device_.id, released_bytes});
}

inline detail::memory_part pool::part_at(void const* p) const noexcept {
  detail::memory_part found;
  lock_guard const guard(lock_);
  if (detail::block_id const id = allocator_.find(p); id != detail::no_block)
    return {device_.id, p, allocator_.size(id), false, tracker_.of(id)};
  allocator_.part_at(p, [&](detail::block_id id, void const* begin, detail::block const& b) {
    found = {device_.id, begin, b.size, b.free(), b.free() ? call_site{} : tracker_.of(id)};
  });
  return found;
}

[[gnu::cold, gnu::noinline]] inline void pool::handle_wrong_free(void const* p,
                                                                 std::size_t size) const noexcept {
  detail::memory_part part = part_at(p);
  if (part.begin == nullptr)
    if (auto* const find = detail::find_in_all_pools.load(std::memory_order_acquire))
      part = find(p);
  detail::handle_wrong_free(
      detail::described({.where = device_.id, .address = p, .size = size}, part));
}

/// The program also needs host memory outside of the pool. So the unused memory of the CPU's pool
/// is limited to the memory in use, or 256 MiB if that is more. The check runs once per 256 MiB
/// freed, so its cost is negligible.
inline std::size_t pool::trim_host(std::size_t freed) noexcept {
  constexpr std::size_t kept_bytes = std::size_t{256} << 20;
  freed_ += freed;
  if (freed_ < kept_bytes) return 0;
  freed_ = 0;
  std::size_t const in_use = allocator_.in_use();
  std::size_t const unused = allocator_.backed() - in_use;
  if (unused <= kept_bytes || unused <= in_use) return 0;
  try {
    return allocator_.trim();
  } catch (...) { return 0; }  // CPU queues run immediately: nothing to wait for
}

inline std::size_t pool::trim() {
  detail::throw_if_forked(device_.id);
  std::size_t released_bytes = 0;
  {
    lock_guard const guard(lock_);
    released_bytes = allocator_.trim();
  }
  if (released_bytes != 0 && detail::has_memory_observer())
    detail::notify_memory_observer({memory_action::release, device_.id, released_bytes});
  return released_bytes;
}

inline void pool::close_if_unused() noexcept {
  if (allocator_.blocks_in_use() != 0) return;
  allocator_.release();
  if (own_queue_ == nullptr || queue_closed_.load(std::memory_order_relaxed)) return;
  device_.owner->close_queue(*own_queue_);
  queue_closed_.store(true, std::memory_order_release);
}

[[gnu::cold, gnu::noinline]] inline void pool::reopen_queue() {
  lock_guard const guard(lock_);
  if (!queue_closed_.load(std::memory_order_relaxed)) return;
  *own_queue_ = device_.owner->open_queue(device_.ordinal);
  queue_closed_.store(false, std::memory_order_release);
}

}}  // namespace placement::v0_1
