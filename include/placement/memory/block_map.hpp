#pragma once
/// Maps an offset to the block that was allocated there.

#include <placement/memory/block.hpp>

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// A hash table of block ids with open addressing. The table is sparse, so that the first slot is
/// mostly the right one. The keys are the offsets in the blocks themselves.
class block_map {
 public:
  /// Ensures that one insert() cannot fail. Throws: std::bad_alloc; then nothing was changed.
  void prepare(block_table const& all) {
    if (slots_per_block * (count_ + 1) > slots_.size()) [[unlikely]]
      grow(all);
  }
  void insert(block_table const& all, block_id id) noexcept {
    std::size_t at = home(all[id].offset);
    while (slots_[at] != no_block) at = (at + 1) & mask();
    slots_[at] = id;
    ++count_;
  }
  /// Removes the block and returns its id; no_block if none was allocated at this offset.
  block_id remove(block_table const& all, std::size_t offset) noexcept {
    if (slots_.empty()) return no_block;
    std::size_t const at = slot_of(all, offset);
    block_id const id = slots_[at];
    if (id == no_block) return no_block;
    close(all, at);
    --count_;
    return id;
  }
  std::size_t size() const noexcept { return count_; }
  block_id find(block_table const& all, std::size_t offset) const noexcept {
    return slots_.empty() ? no_block : slots_[slot_of(all, offset)];
  }

 private:
  static constexpr std::size_t slots_per_block = 8;  ///< at least; 4 take 1 to 2 ns longer a call

  std::size_t mask() const noexcept { return slots_.size() - 1; }
  /// Multiplicative hash; offsets are multiples of 256.
  std::size_t home(std::size_t offset) const noexcept {
    return (offset >> 8) * 0x9E3779B97F4A7C15u >> shift_;
  }
  /// The slot of the block at this offset, or an empty one.
  std::size_t slot_of(block_table const& all, std::size_t offset) const noexcept {
    std::size_t at = home(offset);
    while (slots_[at] != no_block && all[slots_[at]].offset != offset) at = (at + 1) & mask();
    return at;
  }
  /// Empties a slot and moves later entries up, so that no search ends too early.
  void close(block_table const& all, std::size_t hole) noexcept {
    for (std::size_t at = (hole + 1) & mask(); slots_[at] != no_block; at = (at + 1) & mask()) {
      std::size_t const from_home = (at - home(all[slots_[at]].offset)) & mask();
      if (from_home < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = no_block;
  }
  [[gnu::cold, gnu::noinline]] void grow(block_table const& all) {
    std::vector<block_id> more(slots_.empty() ? 64 : 2 * slots_.size(), no_block);
    std::swap(slots_, more);
    shift_ = 64 - std::countr_zero(slots_.size());
    count_ = 0;
    for (block_id id : more)
      if (id != no_block) insert(all, id);
  }

  std::vector<block_id> slots_;
  std::size_t count_ = 0;
  int shift_ = 0;
};

}}}  // namespace placement::v0_1::detail
