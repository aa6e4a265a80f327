#pragma once
/// The order of memory use between queues: before another queue reuses a block, it waits for an
/// event of the block's users.

#include <placement/device/platform.hpp>
#include <placement/memory/block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// A queue, and the bit of its group.
struct queue_user {
  queue user;
  std::uint64_t group;
};

/// The queues that use one device's memory. For each pair of groups it has the time at which one
/// last waited for the other. Time counts events: memory that was freed before the last wait needs
/// no further event.
///
/// Each of the first 64 queues is a group of its own. A further queue takes over a group without
/// blocks. It first waits for the queues of that group, so a wait for it includes them. If all
/// groups hold blocks, the queue joins the smallest group. Reuse of memory then waits for events of
/// all queues of the group. Thread: not safe.
class queue_order {
 public:
  explicit queue_order(platform& owner) noexcept : owner_(owner) {}

  std::uint64_t now() const noexcept { return now_; }

  /// The bit of the queue's group; 0 if it has none.
  std::uint64_t group_of(queue q) const noexcept {
    for (member const& m : known_)
      if (is_same(m.user, q)) return bit(m.group);
    return 0;
  }
  /// Finds a group for a queue without one. `in_use`: the groups that hold blocks.
  /// Throws: std::bad_alloc, what the platform throws; then nothing was changed.
  std::uint64_t add(queue q, std::uint64_t in_use);

  /// The first queue of a set of groups.
  queue_user first_of(std::uint64_t groups) const noexcept {
    auto const group = static_cast<std::size_t>(std::countr_zero(groups));
    std::size_t i = 0;
    while (known_[i].group != group) ++i;
    return {known_[i].user, bit(group)};
  }
  /// Whether this is the only queue that used the memory.
  bool is(pending_use last, queue q) const noexcept {
    if (!std::has_single_bit(last.queues)) return false;
    auto const group = static_cast<std::size_t>(std::countr_zero(last.queues));
    return members_[group] == 1 && is_same(first_of(last.queues).user, q);
  }

  /// Makes the later work of a queue wait until the users of the memory are done. Throws: what the
  /// platform throws.
  void wait_for_users(pending_use last, queue_user to) {
    auto const waiting = static_cast<std::size_t>(std::countr_zero(to.group));
    bool const alone = members_[waiting] == 1;
    std::uint64_t const awaited = alone ? last.queues & ~to.group : last.queues;
    for (std::uint64_t left = awaited; left != 0; left &= left - 1) {
      auto const from = static_cast<std::size_t>(std::countr_zero(left));
      std::uint64_t& seen = waited_[waiting * max + from];
      if (alone && seen >= last.time) continue;
      wait_for_group(to.user, from);
      std::uint64_t const now = now_++;
      if (alone) seen = now;  // in a larger group only this queue has waited
    }
  }

  /// Forgets all queues: no work is pending, and the queues end.
  void forget() noexcept {
    known_.clear();
    members_.clear();
    waited_.clear();
    next_ = 0;
  }

  /// Waits on the host until the users of the memory are done. Throws: what the platform throws.
  void synchronise_users(pending_use last) {
    for (member const& m : known_)
      if ((last.queues & bit(m.group)) != 0) owner_.synchronise(m.user);
  }

 private:
  static constexpr std::size_t max = 64;

  struct member {
    queue user;
    std::size_t group;
  };

  static constexpr std::uint64_t bit(std::size_t group) noexcept {
    return std::uint64_t{1} << group;
  }
  static bool is_same(queue a, queue b) noexcept {
    return a.handle == b.handle && a.ordinal == b.ordinal;
  }
  /// Makes the later work of a queue wait for the work enqueued on the other queues of a group.
  void wait_for_group(queue q, std::size_t group) {
    for (member const& m : known_)
      if (m.group == group && !is_same(m.user, q)) owner_.wait(q, owner_.record(m.user));
  }
  std::size_t new_group();
  std::size_t group_without_blocks(std::uint64_t in_use) const noexcept;
  std::size_t smallest_group() const noexcept;

  platform& owner_;
  std::vector<member> known_;
  std::vector<std::size_t> members_;   ///< the number of queues in each group
  std::vector<std::uint64_t> waited_;  ///< [waiting][awaited], by group
  std::size_t next_ = 0;               ///< the next candidate for a takeover
  std::uint64_t now_ = 1;
};

[[gnu::cold, gnu::noinline]] inline std::uint64_t queue_order::add(queue q, std::uint64_t in_use) {
  known_.reserve(known_.size() + 1);
  std::size_t group = 0;
  if (members_.size() != max) {
    group = new_group();
  } else if (~in_use == 0) {
    group = smallest_group();
  } else {
    group = group_without_blocks(in_use);
    wait_for_group(q, group);
    std::erase_if(known_, [&](member const& m) { return m.group == group; });
    members_[group] = 0;
    next_ = (group + 1) % max;
    ++now_;
  }
  known_.push_back({q, group});
  ++members_[group];
  return bit(group);
}
inline std::size_t queue_order::new_group() {
  members_.reserve(members_.size() + 1);
  waited_.resize(waited_.size() + max, 0);
  members_.push_back(0);
  return members_.size() - 1;
}
/// Rotates through the groups, so that the work of the group's queues is probably done.
inline std::size_t queue_order::group_without_blocks(std::uint64_t in_use) const noexcept {
  std::uint64_t const all = ~in_use, later = all >> next_ << next_;
  return static_cast<std::size_t>(std::countr_zero(later != 0 ? later : all));
}
inline std::size_t queue_order::smallest_group() const noexcept {
  std::size_t smallest = 0;
  for (std::size_t i = 1; i != max; ++i)
    if (members_[i] < members_[smallest]) smallest = i;
  return smallest;
}

}}}  // namespace placement::v0_1::detail
