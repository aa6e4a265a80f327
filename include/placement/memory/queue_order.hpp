#pragma once
/// Who may use memory next: a block that one queue has used passes to another only behind an event.

#include <placement/device/platform.hpp>
#include <placement/error.hpp>
#include <placement/memory/block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace placement::inline v0_1::detail {

/// The queues that use one device's memory, and which of them has waited for which, until when.
/// Time counts events, so memory that was freed before an event needs no other one. Thread: not
/// safe.
class queue_order {
 public:
  explicit queue_order(platform& owner) noexcept : owner_(owner) {}

  std::uint64_t now() const noexcept { return now_; }

  /// The queue's bit. Throws: placement_error for the 65th queue, std::bad_alloc.
  std::uint64_t bit_of(queue q) {
    for (std::size_t i = 0; i != known_.size(); ++i)
      if (known_[i].handle == q.handle && known_[i].ordinal == q.ordinal) return bit(i);
    if (known_.size() == most) refuse();
    known_.reserve(known_.size() + 1);
    waited_.resize(known_.size() * most + most, 0);
    known_.push_back(q);
    return bit(known_.size() - 1);
  }

  /// The queue of a bit.
  queue queue_of(std::uint64_t bit) const noexcept {
    return known_[static_cast<std::size_t>(std::countr_zero(bit))];
  }
  /// Is this the only queue that used it?
  bool is(pending_use last, queue q) const noexcept {
    if (!std::has_single_bit(last.queues)) return false;
    queue const& only = known_[static_cast<std::size_t>(std::countr_zero(last.queues))];
    return only.handle == q.handle && only.ordinal == q.ordinal;
  }

  /// Holds the later work of a queue until memory that was used so is no longer. Throws: what the
  /// platform does.
  void pass(pending_use last, std::uint64_t to) {
    for (std::uint64_t left = last.queues & ~to; left != 0; left &= left - 1) {
      auto const from = static_cast<std::size_t>(std::countr_zero(left));
      std::uint64_t& seen = waited_[static_cast<std::size_t>(std::countr_zero(to)) * most + from];
      if (seen >= last.time) continue;
      owner_.wait(known_[static_cast<std::size_t>(std::countr_zero(to))],
                  owner_.record(known_[from]));
      seen = now_++;
    }
  }

  /// Nothing is pending, and the queues end.
  void forget() noexcept {
    known_.clear();
    waited_.clear();
  }

  /// Waits on the host until memory that was used so is no longer. Throws: what the platform does.
  void finish(pending_use last) {
    for (std::uint64_t left = last.queues; left != 0; left &= left - 1)
      owner_.synchronise(known_[static_cast<std::size_t>(std::countr_zero(left))]);
  }

 private:
  static constexpr std::size_t most = 64;

  static constexpr std::uint64_t bit(std::size_t i) noexcept { return std::uint64_t{1} << i; }
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse() {
    throw placement_error(
        "placement: more than 64 queues use the memory of one device. Use fewer queues.");
  }

  platform& owner_;
  std::vector<queue> known_;
  std::vector<std::uint64_t> waited_;  ///< [waiting][awaited]
  std::uint64_t now_ = 1;
};

}  // namespace placement::inline v0_1::detail
