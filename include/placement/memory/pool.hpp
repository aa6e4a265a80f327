#pragma once
/// The memory of one logical device: blocks cut from one address range, which is backed by its
/// policy.

#include <placement/device/lock.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/memory/arena.hpp>
#include <placement/memory/fork.hpp>
#include <placement/memory/holder.hpp>
#include <placement/memory/limits.hpp>
#include <placement/memory/queue_order.hpp>
#include <placement/memory/refusal.hpp>
#include <placement/memory/region.hpp>
#include <placement/memory/stats.hpp>
#include <placement/memory/watch.hpp>

#include <cassert>
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
  explicit pool(logical_device const& d)
      : device_(d),
        limit_(detail::limit_of(d, d.owner->memory(d.ordinal))),
        memory_(*d.owner, d.ordinal),
        order_(*d.owner) {}
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  /// At least `size` bytes at a multiple of 256, for work of the device's own queue.
  /// Strong. Throws: out_of_memory.
  void* allocate(std::size_t size, holder const& who = {}) {
    return allocate(size, device_.work, who);
  }
  /// The same for work of another queue. Throws: also what the platform does for events.
  void* allocate(std::size_t size, queue user, holder const& who = {});

  /// Tells that work of this queue, too, uses the block: once it is free, others wait for that
  /// work. Throws: placement_error for the 65th queue.
  void used_by(void const* p, queue user) {
    lock_guard const hold(lock_);
    std::uint64_t const bit = order_.bit_of(user);
    detail::block_id const id = arena_.find_at(offset_of(p));
    assert(id != detail::no_block && "no block of this pool begins here");
    arena_.use(id).queues |= bit;
  }

  /// Gives a block back; `size` is what was asked for. All work on it has been handed to its
  /// queues.
  void deallocate(void* p, std::size_t size) noexcept;

  /// Gives memory that nobody uses back to the device, as far as it can be; returns how many bytes.
  /// Throws: what the platform does while work is waited for; then less is given back.
  std::size_t trim();

  /// From now on memory goes back to the device as soon as no block is in use.
  void close() noexcept {
    lock_guard const hold(lock_);
    closing_ = true;
    close_if_unused();
  }

  memory_stats stats() const {
    lock_guard const hold(lock_);
    return stats_now();
  }
  /// The peak begins anew at what is in use.
  void reset_peak() noexcept {
    lock_guard const hold(lock_);
    peak_ = arena_.in_use();
  }
  /// What each call site holds, the most first.
  std::vector<holding> holdings() const;
  /// Free and used parts from the first address on, for drawing. Calls f(offset, size, free).
  template <class F> void for_each_part(F&& f) const {
    lock_guard const hold(lock_);
    arena_.for_each([&](auto, detail::block const& b) { f(b.offset, b.size, b.free()); });
  }
  /// Whether the books agree with each other. Cost: linear; for tests.
  bool check_invariants() const {
    lock_guard const hold(lock_);
    return arena_.check_invariants() && arena_.capacity() == memory_.extent() &&
           memory_.backed() <= limit_ && peak_ >= arena_.in_use();
  }

  logical_device const& where() const noexcept { return device_; }

 private:
  void* watched(std::size_t size, queue user, holder const& who);
  void* taken(std::size_t size, queue user, holder const& who);
  detail::block_id gap_for(std::size_t need, std::uint64_t user);
  detail::block_id grown(std::size_t need, std::uint64_t user);
  void extend(std::size_t needed);
  std::size_t trim_now();
  void close_if_unused() noexcept;
  memory_stats stats_now() const noexcept;
  std::vector<holding> holdings_now() const;
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(detail::refused_request const& r) const {
    throw out_of_memory(detail::out_of_memory_text(device_, stats_now(), r, holdings_now()));
  }

  std::size_t offset_of(void const* p) const noexcept {
    return static_cast<std::size_t>(static_cast<std::byte const*>(p) - memory_.base());
  }

  logical_device const& device_;
  std::size_t limit_, peak_ = 0;
  detail::region memory_;
  detail::arena arena_;
  detail::queue_order order_;
  std::vector<holder> holders_;  ///< by block id
  bool closing_ = false;
  mutable lock lock_;
};

// ---- handing out

inline void* pool::allocate(std::size_t size, queue user, holder const& who) {
  detail::refuse_after_fork(device_.id);
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
    std::size_t const before = memory_.backed();
    p = taken(size, user, who);
    more = memory_.backed() - before;
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
  if (need == 0 || need > limit_) refuse({size, who});
  detail::block_id gap = detail::no_block;
  std::uint64_t bit = 0;
  try {
    arena_.prepare();
    holders_.reserve(arena_.ids());
    holders_.resize(arena_.ids());
    bit = order_.bit_of(user);
    gap = gap_for(need, bit);
  } catch (out_of_memory const& e) {
    refuse({size, who, e.what()});
  } catch (std::bad_alloc const&) { refuse({size, who, "The host has no memory for the books"}); }
  if (gap == detail::no_block) refuse({size, who});
  arena_.take(gap, need);
  arena_.use(gap) = {bit, 0};
  holders_[gap] = who;
  if (arena_.in_use() > peak_) peak_ = arena_.in_use();
  return memory_.base() + arena_.offset(gap);
}

/// A gap that is backed and safe for the queue; no_block where the limit leaves none.
inline detail::block_id pool::gap_for(std::size_t need, std::uint64_t user) {
  detail::block_id const gap = arena_.find(need);
  if (gap == detail::no_block) return grown(need, user);
  order_.pass(arena_.use(gap), user);
  memory_.fill_holes(arena_.offset(gap), need);
  return gap;
}

/// The last gap, made long enough.
inline detail::block_id pool::grown(std::size_t need, std::uint64_t user) {
  std::size_t const have = arena_.last_gap();
  std::size_t const extent = memory_.extent();
  if (need - have > limit_ - extent) return detail::no_block;
  if (!memory_.reserved()) memory_.reserve(limit_);
  if (have != 0) order_.pass(arena_.use(arena_.last()), user);
  extend(extent + need - have);
  try {
    memory_.fill_holes(extent - have, need);
  } catch (...) {
    arena_.shrink(memory_.extent() - extent);
    memory_.shrink(extent);
    throw;
  }
  return arena_.last();
}

/// Backs the range as far as the policy says, or just as far as needed where the device has no
/// more.
inline void pool::extend(std::size_t needed) {
  std::size_t const before = memory_.extent();
  std::size_t const wanted = detail::next_extent(device_, needed, limit_);
  try {
    memory_.extend(wanted);
  } catch (out_of_memory const&) {
    if (wanted == needed || !device_.growth) throw;
    memory_.extend(needed);
  }
  arena_.extend(memory_.extent() - before);
}

// ---- giving back

inline void pool::deallocate(void* p, std::size_t size) noexcept {
  if (detail::lost_by_fork(device_.id)) return;  // the memory is the parent's
  std::size_t const need = detail::arena::rounded(size);
  bool const watched = detail::is_watched();
  holder who;
  {
    lock_guard const hold(lock_);
    std::size_t const offset = offset_of(p);
    if (watched) [[unlikely]]
      who = holders_[arena_.find_at(offset)];
    device_.owner->retire(device_.ordinal, p, need);
    [[maybe_unused]] bool const known = arena_.give(offset, {0, order_.now()});
    assert(known && "no block of this pool begins here");
    if (closing_) close_if_unused();
  }
  if (watched) [[unlikely]]
    detail::tell({memory_action::free, device_.id, need, who});
}

inline std::size_t pool::trim() {
  detail::refuse_after_fork(device_.id);
  std::size_t const given_back = trim_now();
  if (given_back != 0 && detail::is_watched())
    detail::tell({memory_action::give_back, device_.id, given_back});
  return given_back;
}

inline std::size_t pool::trim_now() {
  lock_guard const hold(lock_);
  std::size_t const before = memory_.backed();
  arena_.for_each([&](detail::block_id id, detail::block const& b) {
    if (!b.free()) return;
    order_.finish(arena_.use(id));
    memory_.make_holes(b.offset, b.size);
  });
  constexpr std::size_t chunk = detail::region::chunk;
  std::size_t const used_end = memory_.extent() - arena_.last_gap();
  std::size_t const to = (used_end + chunk - 1) / chunk * chunk;
  if (to < memory_.extent()) {
    arena_.shrink(memory_.extent() - to);
    memory_.shrink(to);
  }
  return before - memory_.backed();
}

inline void pool::close_if_unused() noexcept {
  if (arena_.blocks_in_use() != 0) return;
  arena_.for_each([&](detail::block_id id, detail::block const&) {
    try {
      order_.finish(arena_.use(id));
    } catch (...) {  // the program ends, and the queue with it
    }
  });
  arena_.shrink(memory_.extent());
  memory_.release();
}

// ---- figures

inline memory_stats pool::stats_now() const noexcept {
  std::size_t const longest = arena_.longest_gap();
  std::size_t const at_end = arena_.last_gap() + limit_ - memory_.extent();
  std::size_t const free = arena_.capacity() - arena_.in_use();
  return {.in_use = arena_.in_use(),
          .peak = peak_,
          .reserved = memory_.backed(),
          .limit = limit_,
          .largest_free = longest > at_end ? longest : at_end,
          .allocations = arena_.blocks_in_use(),
          .fragmentation =
              free == 0 ? 0 : 1 - static_cast<double>(longest) / static_cast<double>(free)};
}

inline std::vector<holding> pool::holdings() const {
  lock_guard const hold(lock_);
  return holdings_now();
}

inline std::vector<holding> pool::holdings_now() const {
  std::vector<holding> all;
  arena_.for_each([&](detail::block_id id, detail::block const& b) {
    if (b.free()) return;
    std::size_t i = 0;
    while (i != all.size() && !(all[i].who == holders_[id])) ++i;
    if (i == all.size()) all.push_back({holders_[id]});
    all[i].size += b.size;
    ++all[i].blocks;
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    for (std::size_t j = i; j != 0 && all[j].size > all[j - 1].size; --j)
      std::swap(all[j], all[j - 1]);
  return all;
}

}  // namespace placement::inline v0_1
