#pragma once
/// From an offset to the block that was handed out there.

#include <placement/memory/block.hpp>

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace placement::inline v0_1::detail {

/// A hash table with open addresses, at most half full. Cost: one or two cache lines a call.
class block_map {
 public:
  /// Makes sure that one insert() cannot fail. Throws: std::bad_alloc; then nothing was changed.
  void prepare() {
    if (2 * (count_ + 1) > slots_.size()) grow();
  }
  void insert(std::size_t offset, block_id id) noexcept {
    std::size_t at = home(offset);
    while (slots_[at].id != no_block) at = (at + 1) & mask();
    slots_[at] = {offset, id};
    ++count_;
  }
  /// Removes the block and returns it; no_block where none was handed out at this offset.
  block_id remove(std::size_t offset) noexcept {
    std::size_t const at = find_slot(offset);
    if (at == slots_.size()) return no_block;
    block_id const id = slots_[at].id;
    close(at);
    --count_;
    return id;
  }
  std::size_t size() const noexcept { return count_; }
  block_id find(std::size_t offset) const noexcept {
    std::size_t const at = find_slot(offset);
    return at == slots_.size() ? no_block : slots_[at].id;
  }

 private:
  struct slot {
    std::size_t offset = 0;
    block_id id = no_block;
  };

  std::size_t mask() const noexcept { return slots_.size() - 1; }
  /// Multiplicative hash; offsets are multiples of 256.
  std::size_t home(std::size_t offset) const noexcept {
    return static_cast<std::size_t>((offset >> 8) * 0x9E3779B97F4A7C15u >> shift_);
  }
  std::size_t find_slot(std::size_t offset) const noexcept {
    if (slots_.empty()) return 0;
    std::size_t at = home(offset);
    while (slots_[at].id != no_block) {
      if (slots_[at].offset == offset) return at;
      at = (at + 1) & mask();
    }
    return slots_.size();
  }
  /// Empties a slot and moves those behind it up, so that no search ends too early.
  void close(std::size_t hole) noexcept {
    for (std::size_t at = (hole + 1) & mask(); slots_[at].id != no_block; at = (at + 1) & mask()) {
      std::size_t const from_home = (at - home(slots_[at].offset)) & mask();
      if (from_home < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].id = no_block;
  }
  void grow() {
    std::vector<slot> more(slots_.empty() ? 64 : 2 * slots_.size());
    std::swap(slots_, more);
    shift_ = 64 - std::countr_zero(slots_.size());
    count_ = 0;
    for (slot const& s : more)
      if (s.id != no_block) insert(s.offset, s.id);
  }

  std::vector<slot> slots_;
  std::size_t count_ = 0;
  int shift_ = 0;
};

}  // namespace placement::inline v0_1::detail
