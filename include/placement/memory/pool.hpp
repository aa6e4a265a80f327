#pragma once
/// The memory of one logical GPU: blocks cut from one address range that is backed on need, up to the limit.

#include <placement/device/lock.hpp>
#include <placement/device/registry.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace placement::inline v0_1 {

/// Figures of one logical device's memory, exact to the byte. Sizes are multiples of 256 bytes.
struct memory_stats {
  std::size_t in_use = 0;        ///< handed out now
  std::size_t peak = 0;          ///< the most that was handed out
  std::size_t reserved = 0;      ///< backed by memory of the device
  std::size_t limit = 0;         ///< the most that may be reserved
  std::size_t largest_free = 0;  ///< the largest block that could be had now
  std::size_t allocations = 0;   ///< blocks handed out now
};

/// Hands out blocks of one logical GPU. First fit in address order; free neighbours join.
/// Cost: linear in the number of free blocks, under a lock.
class pool {
 public:
  static constexpr std::size_t granule = 256;              ///< sizes and addresses are multiples of this
  static constexpr std::size_t first_step = std::size_t{2} << 20;  ///< backed at the start under growth

  explicit pool(logical_device const& d) : device_(d), limit_(limit_of(d)) {}
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  /// At least `size` bytes at a multiple of 256. Strong. Throws: out_of_memory.
  void* allocate(std::size_t size) {
    std::size_t const need = size == 0 ? granule : (size + granule - 1) / granule * granule;
    lock_guard const hold(lock_);
    if (need < size || need > limit_) refuse(size);
    if (base_ == nullptr) base_ = static_cast<std::byte*>(device_.owner->reserve(device_.ordinal, limit_));
    free_.reserve(free_.size() + 2);  // so that giving the block back cannot fail
    std::size_t at = 0;
    while (at != free_.size() && free_[at].size < need) ++at;
    if (at == free_.size()) at = grow(need, size);
    block& from = free_[at];
    std::byte* const p = base_ + from.offset;
    from.offset += need;
    from.size -= need;
    if (from.size == 0) free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(at));
    in_use_ += need;
    ++allocations_;
    if (in_use_ > peak_) peak_ = in_use_;
    return p;
  }

  /// Gives a block back; `size` is what was asked for.
  void deallocate(void* p, std::size_t size) noexcept {
    std::size_t const need = size == 0 ? granule : (size + granule - 1) / granule * granule;
    lock_guard const hold(lock_);
    device_.owner->retire(device_.ordinal, p, need);
    insert({static_cast<std::size_t>(static_cast<std::byte*>(p) - base_), need});
    in_use_ -= need;
    --allocations_;
  }

  memory_stats stats() const {
    lock_guard const hold(lock_);
    return {in_use_, peak_, reserved_, limit_, largest(), allocations_};
  }

 private:
  struct block {
    std::size_t offset, size;
  };

  static std::size_t limit_of(logical_device const& d) {
    memory_info const m = d.owner->memory(d.ordinal);
    std::size_t most = d.memory_limit != 0 ? d.memory_limit
                       : d.fraction != 0.0 ? static_cast<std::size_t>(d.fraction * static_cast<double>(m.total))
                                           : m.free;
    return most / granule * granule;
  }

  /// Backs more of the range so that a free block of `need` bytes is at its end; returns its place in the list.
  std::size_t grow(std::size_t need, std::size_t asked) {
    bool const joins = !free_.empty() && free_.back().offset + free_.back().size == reserved_;
    std::size_t const have = joins ? free_.back().size : 0;
    if (need - have > limit_ - reserved_) refuse(asked);
    std::size_t to = device_.growth ? first_step : limit_;
    while (to < reserved_ + need - have) to *= 2;
    if (to > limit_) to = limit_;
    device_.owner->commit(device_.ordinal, base_, reserved_, to - reserved_);
    if (joins) free_.back().size += to - reserved_;
    else free_.push_back({reserved_, to - reserved_});
    reserved_ = to;
    return free_.size() - 1;
  }

  void insert(block b) noexcept {
    std::size_t at = 0;
    while (at != free_.size() && free_[at].offset < b.offset) ++at;
    auto const here = free_.begin() + static_cast<std::ptrdiff_t>(at);
    bool const after = at > 0 && free_[at - 1].offset + free_[at - 1].size == b.offset;
    bool const before = at < free_.size() && b.offset + b.size == free_[at].offset;
    if (after && before) {
      free_[at - 1].size += b.size + free_[at].size;
      free_.erase(here);
    } else if (after) {
      free_[at - 1].size += b.size;
    } else if (before) {
      free_[at].offset = b.offset;
      free_[at].size += b.size;
    } else {
      free_.insert(here, b);
    }
  }

  std::size_t largest() const {
    std::size_t most = limit_ - reserved_;
    if (!free_.empty() && free_.back().offset + free_.back().size == reserved_) most += free_.back().size;
    for (block const& b : free_)
      if (b.size > most) most = b.size;
    return most;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(std::size_t asked) const {
    throw out_of_memory("placement: out of memory on " + to_string(device_.id) + ": asked for " + std::to_string(asked) +
                        " B; in use " + std::to_string(in_use_) + " B of a limit of " + std::to_string(limit_) +
                        " B; the largest free block is " + std::to_string(largest()) +
                        " B. Free tensors, use smaller batches, or raise the device's memory limit.");
  }

  logical_device const& device_;
  std::size_t limit_, reserved_ = 0, in_use_ = 0, peak_ = 0, allocations_ = 0;
  std::byte* base_ = nullptr;
  std::vector<block> free_;  // by address
  mutable lock lock_;
};

namespace detail {
struct pools {
  lock guard;
  std::vector<pool*> gpus;
};
PLACEMENT_PROCESS_STATE inline pools& all_pools() {
  static pools& all = *new pools;
  return all;
}
}  // namespace detail

/// The pool of a logical GPU. Throws: placement_error when there is no such device.
inline pool& pool_of(device d) {
  logical_device const& l = logical(d);
  auto& all = detail::all_pools();
  lock_guard const hold(all.guard);
  auto const i = static_cast<std::size_t>(d.index);
  if (all.gpus.size() <= i) all.gpus.resize(i + 1);
  if (all.gpus[i] == nullptr) all.gpus[i] = new pool(l);
  return *all.gpus[i];
}

/// Memory figures of a logical GPU. Throws: placement_error when there is no such GPU.
inline memory_stats memory_stats_of(device d) { return pool_of(d).stats(); }

}  // namespace placement::inline v0_1
