#pragma once
/// The free blocks of an arena by size.
///
/// Two-level segregated fit: a class for each 64th part of each power of two, a bit for each class
/// that is not empty. Unlike in the paper the request's own class is searched too, so that a block
/// is refused only where no gap fits, and of the fits of one class the lowest in address is taken.
/// Source: Masmano, Ripoll, Crespo, Real: TLSF, ECRTS 2004.

#include <placement/memory/block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace placement::inline v0_1::detail {

/// Lists of free blocks, one a size class. The blocks themselves are in a block_table.
class gap_index {
 public:
  gap_index() noexcept {
    for (auto& row : heads_)
      for (block_id& head : row) head = no_block;
  }

  void insert(block_table& all, block_id id) noexcept {
    where const c = class_of(all[id].size);
    block_id& head = heads_[c.row][c.column];
    all[id].previous = no_block;
    all[id].next = head;
    if (head != no_block) all[head].previous = id;
    head = id;
    columns_[c.row] |= std::uint64_t{1} << c.column;
    rows_ |= std::uint64_t{1} << c.row;
  }

  void remove(block_table& all, block_id id) noexcept {
    block const& b = all[id];
    if (b.next != no_block) all[b.next].previous = b.previous;
    if (b.previous != no_block) {
      all[b.previous].next = b.next;
      return;
    }
    where const c = class_of(b.size);
    heads_[c.row][c.column] = b.next;
    if (b.next != no_block) return;
    columns_[c.row] &= ~(std::uint64_t{1} << c.column);
    if (columns_[c.row] == 0) rows_ &= ~(std::uint64_t{1} << c.row);
  }

  /// A gap of at least `size` bytes, among the shortest; no_block only where none is that long.
  /// Cost: constant but where the request's own class, a 64th of a power of two, holds the only
  /// fit.
  block_id find(block_table const& all, std::size_t size) const noexcept {
    where const own = class_of(size);
    if (block_id const id = lowest(all, own, size, patience); id != no_block) return id;
    where const next = class_after(own);
    if (next.row != none) return lowest(all, next, size, patience);
    return lowest(all, own, size, ~0u);
  }

  /// The size of the longest gap; 0 without one.
  std::size_t longest(block_table const& all) const noexcept {
    if (rows_ == 0) return 0;
    auto const row = static_cast<unsigned>(63 - std::countl_zero(rows_));
    auto const column = static_cast<unsigned>(63 - std::countl_zero(columns_[row]));
    std::size_t most = 0;
    for (block_id id = heads_[row][column]; id != no_block; id = all[id].next)
      if (all[id].size > most) most = all[id].size;
    return most;
  }

  /// Whether the gap is in the list of its class, and the class is marked. Cost: linear; for tests.
  bool holds(block_table const& all, block_id gap) const noexcept {
    where const c = class_of(all[gap].size);
    if ((rows_ >> c.row & columns_[c.row] >> c.column & 1) == 0) return false;
    block_id id = heads_[c.row][c.column];
    while (id != no_block && id != gap) id = all[id].next;
    return id == gap;
  }

 private:
  /// How many blocks of a class are looked at.
  static constexpr unsigned patience = 2;
  static constexpr unsigned none = 64;

  struct where {
    unsigned row, column;
  };

  /// Sizes below 128 granules of 256 bytes have a class each.
  static constexpr where class_of(std::size_t size) noexcept {
    std::size_t const granules = size >> 8;
    if (granules < 64) return {0, static_cast<unsigned>(granules)};
    auto const power = static_cast<unsigned>(std::bit_width(granules)) - 1;
    return {power - 5, static_cast<unsigned>(granules >> (power - 6)) & 63};
  }

  /// The next class that is not empty; row `none` if there is none.
  where class_after(where c) const noexcept {
    std::uint64_t const columns =
        c.column == 63 ? 0 : columns_[c.row] & ~std::uint64_t{0} << (c.column + 1);
    if (columns != 0) return {c.row, static_cast<unsigned>(std::countr_zero(columns))};
    std::uint64_t const rows = rows_ & ~std::uint64_t{0} << (c.row + 1);
    if (rows == 0) return {none, 0};
    auto const row = static_cast<unsigned>(std::countr_zero(rows));
    return {row, static_cast<unsigned>(std::countr_zero(columns_[row]))};
  }

  /// The fit at the lowest address among the first `most` gaps of a class.
  block_id lowest(block_table const& all, where c, std::size_t size, unsigned most) const noexcept {
    block_id best = no_block;
    std::size_t lowest = ~std::size_t{0};
    for (block_id id = heads_[c.row][c.column]; id != no_block && most != 0; --most) {
      block const& gap = all[id];
      if (gap.size >= size && gap.offset < lowest) {
        best = id;
        lowest = gap.offset;
      }
      id = gap.next;
    }
    return best;
  }

  static constexpr unsigned row_count = 51;  // 2^63 bytes are 2^55 granules

  std::uint64_t rows_ = 0;
  std::uint64_t columns_[row_count] = {};
  block_id heads_[row_count][64];
};

}  // namespace placement::inline v0_1::detail
