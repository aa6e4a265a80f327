#pragma once
/// The memory of one logical device, for any thread: blocks, who holds them, and the error where
/// there is none.

#include <placement/device/fork_bodies.hpp>
#include <placement/device/lock.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/memory/holder.hpp>
#include <placement/memory/ledger.hpp>
#include <placement/memory/refusal.hpp>
#include <placement/memory/space.hpp>
#include <placement/memory/stats.hpp>
#include <placement/memory/watch.hpp>
#include <placement/memory/wrong_free.hpp>

#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

namespace placement::inline v0_1 {

/// Hands out blocks of one logical device. A block serves the queue it was allocated for at once;
/// if another queue used the memory before, that queue's work is waited for by an event first.
/// Thread: safe. Cost: constant, under a lock; no call of the platform while reserved memory
/// suffices.
class pool {
 public:
  static constexpr std::size_t granule = detail::arena::granule;

  /// The device must outlive the pool. Takes nothing yet.
  explicit pool(logical_device const& d) : device_(d), space_(d) {}
  /// The same; the device's queue is closed with the pool, and opened again for a late user.
  pool(logical_device& d, queue* own_queue) : device_(d), own_queue_(own_queue), space_(d) {}
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  /// At least `size` bytes at a multiple of 256, for work of the device's own queue; nullptr for 0,
  /// which takes nothing. Strong. Throws: out_of_memory.
  void* allocate(std::size_t size, holder const& who = {}) {
    if (queue_closed_.load(std::memory_order_acquire)) [[unlikely]]
      reopen_queue();
    return allocate(size, device_.work, who);
  }
  /// The same for work of another queue. Throws: also what the platform does for events.
  void* allocate(std::size_t size, queue user, holder const& who = {});

  /// Tells that work of this queue, too, uses the block: once it is free, others wait for that
  /// work. Throws: invalid_argument where no block begins; what the platform does for events.
  void used_by(void const* p, queue user) try {
    lock_guard const hold(lock_);
    if (!space_.add_user(p, user)) refuse_user();
  } catch (...) { detail::rethrow_as_error(); }

  /// Gives a block back; `size` is what was asked for. All work on it has been handed to its
  /// queues. nullptr is no block, and nothing happens. A free that is wrong changes nothing, and
  /// goes to the handler: see set_wrong_free_handler.
  void deallocate(void* p, std::size_t size) noexcept;

  /// Gives memory that nobody uses back to the device, as far as it can be; returns how many bytes.
  /// Throws: what the platform does while work is waited for; then less is given back.
  std::size_t trim();

  /// From now on memory and queue go back to the device as soon as no block is in use.
  void close() noexcept {
    lock_guard const hold(lock_);
    closing_ = true;
    close_if_unused();
  }
  /// For a pool that is made after all were closed, and the device's queue, too.
  void begin_closed() noexcept {
    closing_ = true;
    queue_closed_.store(own_queue_ != nullptr, std::memory_order_release);
  }

  memory_stats stats() const {
    lock_guard const hold(lock_);
    return stats_now();
  }
  /// The peak begins anew at what is in use.
  void reset_peak() noexcept {
    lock_guard const hold(lock_);
    peak_ = space_.in_use();
    space_.reset_peak();
  }
  /// Throws the error of a request that the host's heap has refused: the figures are those of the
  /// pool.
  [[noreturn]] void refuse_for_heap(std::size_t size, holder const& who) {
    lock_guard const hold(lock_);
    refuse({size, who, "the heap has no more"});
  }
  /// What each call site holds, the most first.
  std::vector<holding> holdings() const try {
    lock_guard const hold(lock_);
    return holders_.list();
  } catch (...) { detail::rethrow_as_error(); }
  /// The part of this pool's memory that has an address, for what is said of it. Cost: linear.
  detail::memory_part part_at(void const* p) const noexcept;
  /// Free and used parts from the first address on, for drawing. Calls f(offset, size, free).
  template <class F> void for_each_part(F&& f) const {
    lock_guard const hold(lock_);
    space_.for_each_part([&](auto, detail::block const& b) { f(b.offset, b.size, b.free()); });
  }
  /// A child that is forked finds the books in order: nobody else writes them meanwhile.
  void hold_for_fork() noexcept { lock_.hold_for_fork(); }
  void after_fork() noexcept { lock_.after_fork(); }
  /// Whether the books agree with each other. Cost: linear; for tests.
  bool check_invariants() const {
    lock_guard const hold(lock_);
    return space_.check_invariants() && peak_ >= space_.in_use() &&
           holders_.holds(space_.in_use(), space_.blocks_in_use());
  }

  logical_device const& where() const noexcept { return device_; }

 private:
  void* watched(std::size_t size, queue user, holder const& who);
  void* taken(std::size_t size, queue user, holder const& who);
  void handle_wrong_free(void const* p, std::size_t size) const noexcept;
  [[noreturn]] void refuse_user() const;
  std::size_t spare_host(std::size_t freed) noexcept;
  void close_if_unused() noexcept;
  void reopen_queue();
  memory_stats stats_now() const noexcept {
    memory_stats now = space_.stats();
    now.peak = peak_;
    if (device_.stream_ordered) now.peak_reserved = peak_;
    now.total_allocations = allocated_;
    now.failures = refused_;
    now.largest_allocation = largest_;
    now.queued = device_.owner->queued_bytes(device_.work);
    return now;
  }
  [[noreturn]] void refuse(detail::refused_request const& r);

  logical_device const& device_;
  queue* own_queue_ = nullptr;
  detail::space space_;
  detail::ledger holders_;
  std::size_t peak_ = 0, largest_ = 0;
  std::size_t allocated_ = 0, refused_ = 0;  ///< requests so far
  std::size_t freed_ = 0;  ///< on the CPU, since it was last asked whether too much is kept
  bool closing_ = false;
  std::atomic<bool> queue_closed_{false};
  mutable lock lock_;
};

inline void* pool::allocate(std::size_t size, queue user, holder const& who) {
  detail::refuse_after_fork(device_.id);
  if (size == 0) return nullptr;
  if (detail::is_watched()) [[unlikely]]
    return watched(size, user, who);
  lock_guard const hold(lock_);
  return taken(size, user, who);
}

/// The same, told to the watcher.
inline void* pool::watched(std::size_t size, queue user, holder const& who) {
  void* p = nullptr;
  std::size_t more = 0;
  try {
    lock_guard const hold(lock_);
    std::size_t const before = space_.backed();
    p = taken(size, user, who);
    more = space_.backed() - before;
  } catch (...) {
    detail::tell({memory_action::refuse, device_.id, size, who});
    throw;
  }
  if (more != 0) detail::tell({memory_action::reserve, device_.id, more, who});
  detail::tell({memory_action::allocate, device_.id, detail::arena::rounded(size), who});
  return p;
}

/// What may fail comes first: own books, then the device; taking the gap cannot.
inline void* pool::taken(std::size_t size, queue user, holder const& who) {
  std::size_t const need = detail::arena::rounded(size);
  if (need == 0 || need > space_.limit()) refuse({size, who});
  detail::block_id block = detail::no_block;
  detail::ledger::line_id line = 0;
  try {
    detail::queue_user const by = space_.prepare(user);
    line = holders_.prepare(who, space_.ids());
    block = space_.take(need, by);
  } catch (out_of_memory const& e) {
    refuse({size, who, e.what()});
  } catch (std::bad_alloc const&) { refuse({size, who, "The host has no memory for the books"}); }
  if (block == detail::no_block) refuse({size, who});
  holders_.take(block, line, need);
  ++allocated_;
  if (need > largest_) largest_ = need;
  if (space_.in_use() > peak_) peak_ = space_.in_use();
  return space_.address(block);
}

/// Counts the request; the host may have no memory for the words.
[[noreturn, gnu::cold, gnu::noinline]] inline void pool::refuse(
    detail::refused_request const& r) try {
  ++refused_;
  throw out_of_memory(detail::out_of_memory_text(device_, stats_now(), r, holders_.list()));
} catch (...) { detail::rethrow_as_error(); }

inline void pool::deallocate(void* p, std::size_t size) noexcept {
  if (p == nullptr || detail::lost_by_fork(device_.id)) return;  // the memory is the parent's
  std::size_t const need = detail::arena::rounded(size);
  bool const watched = detail::is_watched();
  holder who;
  std::size_t given_back = 0;
  bool right = false;
  {
    lock_guard const hold(lock_);
    detail::block_id const block = space_.find(p);
    right = block != detail::no_block && space_.size(block) == need;
    if (right) [[likely]] {
      if (watched) [[unlikely]]
        who = holders_.of(block);
      if (space_.used_by_one(block, device_.work)) device_.owner->retire(device_.work, p, need);
      space_.give(p);
      holders_.give(block, need);
      if (device_.id.is_cpu()) given_back = spare_host(need);
      if (closing_) close_if_unused();
    }
  }
  if (!right) [[unlikely]]
    return handle_wrong_free(p, size);
  if (watched) [[unlikely]]
    detail::tell({memory_action::free, device_.id, need, who});
  if (given_back != 0 && watched) detail::tell({memory_action::give_back, device_.id, given_back});
}

inline detail::memory_part pool::part_at(void const* p) const noexcept {
  detail::memory_part found;
  lock_guard const hold(lock_);
  if (detail::block_id const id = space_.find(p); id != detail::no_block)
    return {device_.id, p, space_.size(id), false, holders_.of(id)};
  space_.part_at(p, [&](detail::block_id id, void const* begin, detail::block const& b) {
    found = {device_.id, begin, b.size, b.free(), b.free() ? holder{} : holders_.of(id)};
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

[[noreturn, gnu::cold, gnu::noinline]] inline void pool::refuse_user() const {
  throw invalid_argument("placement: no block of the pool of " + to_string(device_.id) +
                         " begins at the address that another queue would use. Give the address "
                         "that was allocated.");
}

/// The host is shared with all that the program does besides: of its memory no more is kept free
/// than is in use, or 256 MiB. Asked once for each 256 MiB that are freed, so it costs nothing.
inline std::size_t pool::spare_host(std::size_t freed) noexcept {
  constexpr std::size_t kept = std::size_t{256} << 20;
  freed_ += freed;
  if (freed_ < kept) return 0;
  freed_ = 0;
  std::size_t const in_use = space_.in_use();
  std::size_t const unused = space_.backed() - in_use;
  if (unused <= kept || unused <= in_use) return 0;
  try {
    return space_.trim();
  } catch (...) { return 0; }  // its queues run at once: there is nothing to wait for
}

inline std::size_t pool::trim() {
  detail::refuse_after_fork(device_.id);
  std::size_t given_back = 0;
  {
    lock_guard const hold(lock_);
    given_back = space_.trim();
  }
  if (given_back != 0 && detail::is_watched())
    detail::tell({memory_action::give_back, device_.id, given_back});
  return given_back;
}

inline void pool::close_if_unused() noexcept {
  if (space_.blocks_in_use() != 0) return;
  space_.release();
  if (own_queue_ == nullptr || queue_closed_.load(std::memory_order_relaxed)) return;
  device_.owner->close_queue(*own_queue_);
  queue_closed_.store(true, std::memory_order_release);
}

[[gnu::cold, gnu::noinline]] inline void pool::reopen_queue() {
  lock_guard const hold(lock_);
  if (!queue_closed_.load(std::memory_order_relaxed)) return;
  *own_queue_ = device_.owner->open_queue(device_.ordinal);
  queue_closed_.store(false, std::memory_order_release);
}

}  // namespace placement::inline v0_1
