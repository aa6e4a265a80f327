#pragma once
/// Blocks from the platform's own allocator, one by one, in the order of queues: the alternative to
/// an arena over a region.

#include <placement/device/platform.hpp>
#include <placement/memory/block.hpp>
#include <placement/memory/block_map.hpp>
#include <placement/memory/queue_order.hpp>

#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Thread: not safe. Cost: a call of the platform's allocator, and a hash table lookup.
class platform_blocks {
 public:
  explicit platform_blocks(platform& owner) noexcept : owner_(owner) {}

  std::size_t in_use() const noexcept { return in_use_; }
  std::size_t count() const noexcept { return by_address_.size(); }
  std::size_t ids() const noexcept { return all_.size(); }
  std::size_t size(block_id id) const noexcept { return all_[id].size; }
  pending_use& use(block_id id) noexcept { return all_.use(id); }
  /// The groups of queues that use allocated blocks. Cost: linear.
  std::uint64_t queues_in_use() const noexcept { return all_.queues_in_use(); }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the table is the arena's, which keeps offsets
  void* address(block_id id) const noexcept { return reinterpret_cast<void*>(all_[id].offset); }

  /// Throws: std::bad_alloc; then nothing was changed.
  void prepare() {
    all_.prepare(1);
    by_address_.prepare(all_);
  }
  /// Requires prepare(). Throws: out_of_memory, what the platform throws.
  [[gnu::cold, gnu::noinline]] block_id allocate(std::size_t size, queue_user by) {
    void* const p = owner_.allocate(by.user, size);
    block_id const id = all_.add({.offset = reinterpret_cast<std::size_t>(p), .size = size});
    all_.use(id) = {by.group, 0};
    by_address_.insert(all_, id);
    in_use_ += size;
    return id;
  }
  block_id find(void const* p) const noexcept {
    return by_address_.find(all_, reinterpret_cast<std::size_t>(p));
  }
  /// Deallocates a block after all queues that used it.
  [[gnu::cold, gnu::noinline]] void deallocate(void* p, queue_order& order) noexcept {
    block_id const id = by_address_.remove(all_, reinterpret_cast<std::size_t>(p));
    if (id == no_block) return;
    in_use_ -= all_[id].size;
    owner_.deallocate(after_users(all_.use(id), order), p, all_[id].size);
    all_.remove(id);
  }

 private:
  /// The queue after whose work a block is free. If an event fails, waits on the host. If that
  /// fails, too, the platform has failed, and the block is deallocated without a wait.
  static queue after_users(pending_use const& users, queue_order& order) noexcept {
    queue_user const first = order.first_of(users.queues);
    try {
      order.wait_for_users({users.queues, order.now()}, first);
    } catch (...) {
      try {
        order.synchronise_users(users);
      } catch (...) {  // its work has failed, and is over
      }
    }
    return first.user;
  }

  platform& owner_;
  block_table all_;
  block_map by_address_;
  std::size_t in_use_ = 0;
};

}}}  // namespace placement::v0_1::detail
