#pragma once
/// Manages the allocated and free parts of a range: offsets only, no memory is accessed.
///
///     detail::arena a;
///     a.extend(1 << 20);
///     auto id = a.allocate(a.find(4096), 4096);  // the block begins at a.offset(id)
///     a.deallocate(a.offset(id));

#include <placement/memory/block_map.hpp>
#include <placement/memory/gap_index.hpp>

#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Allocates blocks from [0, capacity) and joins free neighbours. Sizes and offsets are multiples
/// of 256. Close to best fit, with exact splits. Cost: constant, except gap_index::find.
/// Thread: not safe.
class arena {
 public:
  static constexpr std::size_t granule = 256;

  /// `size` rounded up to a multiple of the granule, at least one granule; 0 if that overflows.
  static constexpr std::size_t rounded(std::size_t size) noexcept {
    return size == 0 ? granule : (size + granule - 1) / granule * granule;
  }

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t in_use() const noexcept { return in_use_; }
  std::size_t blocks_in_use() const noexcept { return blocks_in_use_; }
  std::size_t longest_gap() const noexcept { return gaps_.longest(all_); }
  /// The free bytes at the end of the range.
  std::size_t last_gap() const noexcept {
    return last_ != no_block && all_[last_].free() ? all_[last_].size : 0;
  }

  std::size_t offset(block_id id) const noexcept { return all_[id].offset; }
  std::size_t size(block_id id) const noexcept { return all_[id].size; }
  pending_use& use(block_id id) noexcept { return all_.use(id); }
  /// The groups of queues that use allocated blocks. Cost: linear.
  std::uint64_t queues_in_use() const noexcept { return all_.queues_in_use(); }
  /// The block or gap at the end of the range.
  block_id last() const noexcept { return last_; }
  /// All ids are below this.
  std::size_t ids() const noexcept { return all_.size(); }
  /// The block that was allocated at this offset; no_block if there is none.
  block_id find_at(std::size_t offset) const noexcept { return map_.find(all_, offset); }

  /// A gap of at least `size` bytes; no_block only if there is none.
  block_id find(std::size_t size) const noexcept { return gaps_.find(all_, size); }

  /// Ensures that one extend() and one allocate() cannot fail. Throws: std::bad_alloc; then nothing
  /// was changed.
  void prepare() {
    all_.prepare(2);
    map_.prepare(all_);
  }

  /// Allocates the first `size` bytes of a gap. Throws: std::bad_alloc; then nothing was changed.
  block_id allocate(block_id gap, std::size_t size) {
    all_.prepare(1);
    map_.prepare(all_);
    gaps_.remove(all_, gap);
    if (all_[gap].size != size) cut(gap, size);
    map_.insert(all_, gap);
    in_use_ += size;
    ++blocks_in_use_;
    return gap;
  }

  /// Deallocates the block at this offset and joins it with free neighbours. Returns the block's
  /// id, or no_block if there is none.
  block_id deallocate(std::size_t offset, pending_use last = {}) noexcept {
    block_id const id = map_.remove(all_, offset);
    if (id == no_block) return no_block;
    in_use_ -= all_[id].size;
    --blocks_in_use_;
    all_.use(id).add(last);
    release(id);
    return id;
  }

  /// Adds `size` free bytes at the end. Throws: std::bad_alloc; then nothing was changed.
  void extend(std::size_t size) {
    if (size == 0) return;
    all_.prepare(1);
    block_id const id = all_.add({.offset = capacity_, .size = size, .before = last_});
    all_.use(id) = {};
    if (last_ != no_block) all_[last_].after = id;
    else first_ = id;
    last_ = id;
    capacity_ += size;
    release(id);
  }

  /// Removes free bytes from the end, at most last_gap() of them.
  void shrink(std::size_t size) noexcept {
    if (size == 0) return;
    gaps_.remove(all_, last_);
    capacity_ -= size;
    all_[last_].size -= size;
    if (all_[last_].size != 0) return gaps_.insert(all_, last_);
    block_id const gone = last_;
    last_ = all_[gone].before;
    if (last_ != no_block) all_[last_].after = no_block;
    else first_ = no_block;
    all_.remove(gone);
  }

  /// Calls f(id, block) for each block and gap, in the order of addresses.
  template <class F> void for_each(F&& f) const {
    for (block_id id = first_; id != no_block; id = all_[id].after) f(id, all_[id]);
  }

  /// Whether the arena's data structures are consistent. Cost: linear; for tests.
  bool check_invariants() const noexcept {
    std::size_t end = 0, used = 0, blocks = 0;
    block_id before = no_block;
    bool before_free = false, good = true;
    for_each([&](block_id id, block const& b) {
      good = good && b.offset == end && b.size != 0 && b.size % granule == 0 && b.before == before;
      good = good && !(b.free() && before_free);
      good = good && (b.free() ? gaps_.contains(all_, id) : map_.find(all_, b.offset) == id);
      used += b.free() ? 0 : b.size;
      blocks += b.free() ? 0u : 1u;
      end += b.size;
      before = id;
      before_free = b.free();
    });
    return good && end == capacity_ && used == in_use_ && blocks == blocks_in_use_ &&
           last_ == before && map_.size() == blocks;
  }

 private:
  /// Keeps `size` bytes in the block and makes the rest a gap.
  void cut(block_id id, std::size_t size) noexcept {
    block& b = all_[id];
    block_id const rest = all_.add(
        {.offset = b.offset + size, .size = b.size - size, .before = id, .after = b.after});
    all_.use(rest) = all_.use(id);
    all_[b.after].before = rest;
    last_ = b.after == no_block ? rest : last_;
    b.after = rest;
    b.size = size;
    gaps_.insert(all_, rest);
  }

  /// Makes the block a gap, joined with free neighbours.
  void release(block_id id) noexcept {
    if (block_id const before = all_[id].before; all_[before].free()) {
      gaps_.remove(all_, before);
      join(before, id);
      id = before;
    }
    if (block_id const after = all_[id].after; all_[after].free()) {
      gaps_.remove(all_, after);
      join(id, after);
    }
    gaps_.insert(all_, id);
  }

  /// Joins two neighbours under the id of the first.
  void join(block_id first, block_id second) noexcept {
    block& a = all_[first];
    block const& b = all_[second];
    a.size += b.size;
    all_.use(first).add(all_.use(second));
    a.after = b.after;
    all_[b.after].before = first;
    last_ = b.after == no_block ? first : last_;
    all_.remove(second);
  }

  block_table all_;
  block_map map_;
  gap_index gaps_;
  block_id first_ = no_block, last_ = no_block;
  std::size_t capacity_ = 0, in_use_ = 0, blocks_in_use_ = 0;
};

}}}  // namespace placement::v0_1::detail
