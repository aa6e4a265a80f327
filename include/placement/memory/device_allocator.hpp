#pragma once
/// Allocates blocks of one logical device: an arena over a region, within the policy's limit and in
/// the order of queues. No lock, no call sites, no messages.

#include <placement/device/logical_device.hpp>
#include <placement/error.hpp>
#include <placement/memory/arena.hpp>
#include <placement/memory/limits.hpp>
#include <placement/memory/platform_blocks.hpp>
#include <placement/memory/queue_order.hpp>
#include <placement/memory/region.hpp>
#include <placement/memory/stats.hpp>

#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Sizes are multiples of the granule. Thread: not safe. Cost: constant; no call to the platform
/// while reserved memory suffices.
class device_allocator {
 public:
  /// The device must outlive the allocator. Reserves nothing yet.
  explicit device_allocator(logical_device const& d)
      : device_(d),
        limit_(limit_of(d, d.owner->memory(d.ordinal))),
        memory_(*d.owner, d.ordinal),
        order_(*d.owner),
        blocks_(*d.owner) {}

  std::size_t limit() const noexcept { return limit_; }
  std::size_t backed() const noexcept {
    return by_platform() ? blocks_.in_use() : memory_.backed();
  }
  std::size_t in_use() const noexcept { return by_platform() ? blocks_.in_use() : arena_.in_use(); }
  std::size_t blocks_in_use() const noexcept {
    return by_platform() ? blocks_.count() : arena_.blocks_in_use();
  }
  /// All ids of blocks are below this.
  std::size_t ids() const noexcept { return by_platform() ? blocks_.ids() : arena_.ids(); }
  /// Calls f(id, block) for each block and gap of the arena; there are none if the platform
  /// allocates blocks.
  template <class F> void for_each_part(F&& f) const { arena_.for_each(f); }
  void* address(block_id id) const noexcept {
    return by_platform() ? blocks_.address(id) : memory_.base() + arena_.offset(id);
  }

  /// Ensures that the bookkeeping of one allocate() cannot fail, and returns the queue's group.
  /// Throws: std::bad_alloc, what the platform throws; then nothing was changed.
  queue_user prepare(queue user) {
    if (by_platform()) [[unlikely]]
      blocks_.prepare();
    else arena_.prepare();
    return {user, group_of(user)};
  }
  /// Allocates a committed block that the prepared queue may use; no_block if the limit is reached.
  /// Strong guarantee. Throws: out_of_memory, what the platform throws for events.
  block_id allocate(std::size_t size, queue_user user) {
    if (by_platform()) [[unlikely]]
      return size > limit_ - blocks_.in_use() ? no_block : blocks_.allocate(size, user);
    block_id const gap = gap_for(size, user);
    if (gap == no_block) return no_block;
    arena_.allocate(gap, size);
    arena_.use(gap) = {user.group, 0};
    memory_.hand_out(arena_.offset(gap) + size);
    return gap;
  }
  /// The block that was allocated at this address; no_block if none begins there.
  block_id find(void const* p) const noexcept {
    return by_platform() ? blocks_.find(p) : arena_.find_at(offset_of(p));
  }
  std::size_t size(block_id id) const noexcept {
    return by_platform() ? blocks_.size(id) : arena_.size(id);
  }
  /// Deallocates the block at this address, which find() has found.
  void deallocate(void* p) noexcept {
    if (by_platform()) [[unlikely]]
      blocks_.deallocate(p, order_);
    else arena_.deallocate(offset_of(p), {0, order_.now()});
  }

  /// Registers another queue whose work uses the block; false if none begins there.
  /// Throws: std::bad_alloc, what the platform throws.
  bool add_user(void const* p, queue user) {
    std::uint64_t const group = group_of(user);
    block_id const id = find(p);
    if (id == no_block) return false;
    use(id).queues |= group;
    return true;
  }
  /// Whether only work of this queue used the block.
  bool used_by_one(block_id id, queue user) noexcept { return order_.is(use(id), user); }

  /// Calls f(id, address, block) for the part that has this address, if there is one. Blocks of the
  /// platform's allocator have no parts. Cost: linear.
  template <class F> void part_at(void const* p, F&& f) const {
    if (!memory_.reserved() || static_cast<std::byte const*>(p) < memory_.base()) return;
    std::size_t const at = offset_of(p);
    arena_.for_each([&](block_id id, block const& b) {
      if (at - b.offset < b.size) f(id, memory_.base() + b.offset, b);
    });
  }

  /// Releases unused memory to the device as far as possible; returns the number of bytes.
  /// Throws: what the platform throws while it waits for work; then less is released.
  std::size_t trim() {
    if (by_platform()) {
      device_.owner->trim_allocator(device_.ordinal);
      return 0;
    }
    std::size_t const before = backed();
    arena_.for_each([&](block_id id, block const& b) {
      if (!b.free()) return;
      order_.synchronise_users(arena_.use(id));
      memory_.decommit_range(b.offset, b.size);
    });
    std::size_t const used_end = memory_.extent() - arena_.last_gap();
    std::size_t const to = (used_end + region::chunk - 1) / region::chunk * region::chunk;
    if (to < memory_.extent()) {
      arena_.shrink(memory_.extent() - to);
      memory_.shrink(to);
    }
    return before - backed();
  }
  /// Releases everything: no block is in use, and the program ends.
  void release() noexcept {
    arena_.for_each([&](block_id id, block const&) {
      try {
        order_.synchronise_users(arena_.use(id));
      } catch (...) {  // the queue ends, too
      }
    });
    order_.forget();
    arena_.shrink(memory_.extent());
    memory_.release();
  }

  void reset_peak() noexcept { memory_.reset_peak(); }
  memory_stats stats() const noexcept {
    if (by_platform())
      return {.in_use = in_use(),
              .reserved = in_use(),
              .limit = limit_,
              .largest_free = limit_ - in_use(),
              .allocations = blocks_in_use()};
    std::size_t const longest = arena_.longest_gap();
    std::size_t const at_end = arena_.last_gap() + reservable();
    std::size_t const free = arena_.capacity() - arena_.in_use();
    return {.in_use = arena_.in_use(),
            .reserved = memory_.backed(),
            .peak_reserved = memory_.peak(),
            .limit = limit_,
            .largest_free = longest > at_end ? longest : at_end,
            .allocations = arena_.blocks_in_use(),
            .fragmentation =
                free == 0 ? 0 : 1 - static_cast<double>(longest) / static_cast<double>(free)};
  }
  /// Whether arena and region are consistent. Cost: linear; for tests.
  bool check_invariants() const noexcept {
    if (by_platform()) return in_use() <= limit_;
    return arena_.check_invariants() && arena_.capacity() == memory_.extent() &&
           memory_.backed() <= limit_;
  }

 private:
  bool by_platform() const noexcept { return device_.stream_ordered; }
  /// The bytes that may still be reserved, limited on a GPU by its free memory. The host's free
  /// memory sets no limit: the system frees its caches on demand.
  std::size_t reservable() const noexcept {
    std::size_t const left = limit_ - memory_.extent();
    if (left == 0 || device_.id.is_cpu()) return left;
    std::size_t const free = device_.owner->memory(device_.ordinal).free;
    return free < left ? free / arena::granule * arena::granule : left;
  }
  pending_use& use(block_id id) noexcept {
    return by_platform() ? blocks_.use(id) : arena_.use(id);
  }
  std::uint64_t group_of(queue user) {
    std::uint64_t const known = order_.group_of(user);
    if (known != 0) [[likely]]
      return known;
    return order_.add(user, by_platform() ? blocks_.queues_in_use() : arena_.queues_in_use());
  }
  std::size_t offset_of(void const* p) const noexcept {
    return static_cast<std::size_t>(static_cast<std::byte const*>(p) - memory_.base());
  }
  /// A gap whose first `need` bytes are committed and which the queue may use.
  block_id gap_for(std::size_t need, queue_user user) {
    block_id const gap = arena_.find(need);
    if (gap == no_block) return grow(need, user);
    order_.wait_for_users(arena_.use(gap), user);
    return memory_.uncommitted(arena_.offset(gap), need) == 0 ? gap : commit_gap(gap, need, user);
  }
  block_id commit_gap(block_id gap, std::size_t need, queue_user user);
  block_id least_uncommitted(std::size_t need) const noexcept;
  block_id grow(std::size_t need, queue_user user);
  void extend(std::size_t to, std::size_t from);

  logical_device const& device_;
  std::size_t limit_;
  region memory_;
  arena arena_;
  queue_order order_;
  platform_blocks blocks_;
};

/// Commits the gap's uncommitted chunks. If the device has no memory for them, uses the gap or
/// extension that needs the least new memory.
[[gnu::cold, gnu::noinline]] inline block_id device_allocator::commit_gap(block_id gap,
                                                                          std::size_t need,
                                                                          queue_user user) {
  block_id other = no_block;
  try {
    memory_.commit_range(arena_.offset(gap), need);
    memory_.note_peak();
    return gap;
  } catch (out_of_memory const&) {
    other = least_uncommitted(need);
    if (other == gap) throw;
  }
  if (other == no_block) return grow(need, user);
  order_.wait_for_users(arena_.use(other), user);
  memory_.commit_range(arena_.offset(other), need);
  memory_.note_peak();
  return other;
}

/// The long enough gap with the fewest uncommitted chunks; no_block if extending the last gap needs
/// less. Cost: linear.
inline block_id device_allocator::least_uncommitted(std::size_t need) const noexcept {
  std::size_t const have = arena_.last_gap(), extent = memory_.extent();
  bool const may_grow = have < need && need - have <= limit_ - extent;
  block_id best = no_block;
  std::size_t least =
      may_grow ? need - have + memory_.uncommitted(extent - have, have) : ~std::size_t{0};
  arena_.for_each([&](block_id id, block const& b) {
    if (!b.free() || b.size < need) return;
    std::size_t const uncommitted = memory_.uncommitted(b.offset, need);
    if (uncommitted >= least) return;
    best = id;
    least = uncommitted;
  });
  return best;
}

/// Extends the last gap to `need` bytes and returns it. The new extent follows the policy, or is
/// the minimum if the device has no more. Without growth the first extent is the whole limit or an
/// error.
inline block_id device_allocator::grow(std::size_t need, queue_user user) {
  std::size_t const have = arena_.last_gap();
  std::size_t const extent = memory_.extent();
  if (need - have > limit_ - extent) return no_block;
  if (!memory_.reserved()) memory_.reserve(limit_);
  if (have != 0) order_.wait_for_users(arena_.use(arena_.last()), user);
  std::size_t const from = extent - have, needed = from + need;
  std::size_t const wanted = next_extent(device_, needed, limit_);
  try {
    extend(wanted, from);
  } catch (out_of_memory const&) {
    if (wanted == needed || (extent == 0 && !device_.growth)) throw;
    extend(needed, from);
  }
  return arena_.last();
}

/// Commits [from, to), which begins in the last gap or at its end. Strong guarantee.
/// Throws: out_of_memory.
inline void device_allocator::extend(std::size_t to, std::size_t from) {
  std::size_t const before = memory_.extent();
  memory_.extend(to);
  try {
    memory_.commit_range(from, before - from);
  } catch (...) {
    memory_.shrink(before);
    throw;
  }
  arena_.extend(to - before);
  memory_.note_peak();
}

}}}  // namespace placement::v0_1::detail
