#pragma once
/// The free blocks of an arena, indexed by size.
///
/// Two-level segregated fit: each power of two has 64 size classes, and a bit marks each class that
/// is not empty. Two differences from the article: the request's own class is searched, too, so a
/// request fails only if no gap fits. Among the fits of one class the lowest address is taken.
/// Source: Masmano, Ripoll, Crespo, Real: TLSF, ECRTS 2004.

#include <placement/memory/block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// One list of free blocks per size class. The blocks themselves are in a block_table.
class gap_index {
 public:
  void insert(block_table& all, block_id id) noexcept {
    where const c = class_of(all[id].size);
    block_id& head = heads_[c.row][c.column];
    all[id].previous = no_block;
    all[id].next = head;
    all[head].previous = id;
    head = id;
    columns_[c.row] |= std::uint64_t{1} << c.column;
    rows_ |= std::uint64_t{1} << c.row;
  }

  void remove(block_table& all, block_id id) noexcept {
    block& b = all[id];
    where const c = class_of(b.size);
    block_id& head = heads_[c.row][c.column];
    block_id& link = b.previous == no_block ? head : all[b.previous].next;
    link = b.next;
    all[b.next].previous = b.previous;
    b.next = block::handed_out;
    columns_[c.row] &= ~(std::uint64_t{head == no_block} << c.column);
    rows_ &= ~(std::uint64_t{columns_[c.row] == 0} << c.row);
  }

  /// A gap of at least `size` bytes, among the shortest; no_block only if there is none.
  /// Cost: constant, unless the only fit is in the request's own class, a 64th of a power of two.
  block_id find(block_table const& all, std::size_t size) const noexcept {
    where const own = class_of(size);
    if (block_id const id = lowest(all, own, size, max_probes); id != no_block) return id;
    where const c = first_class(own.row, ~std::uint64_t{1} << own.column);
    return c.row != none ? lower_of_two(all, c) : lowest(all, own, size, ~0u);
  }

  /// The size of the longest gap; 0 if there is none.
  std::size_t longest(block_table const& all) const noexcept {
    if (rows_ == 0) return 0;
    auto const row = static_cast<unsigned>(63 - std::countl_zero(rows_));
    auto const column = static_cast<unsigned>(63 - std::countl_zero(columns_[row]));
    std::size_t max = 0;
    for (block_id id = heads_[row][column]; id != no_block; id = all[id].next)
      if (all[id].size > max) max = all[id].size;
    return max;
  }

  /// Whether the gap is in the list of its class, and the bit of the class is set. Cost: linear;
  /// for tests.
  bool contains(block_table const& all, block_id gap) const noexcept {
    where const c = class_of(all[gap].size);
    if ((rows_ >> c.row & columns_[c.row] >> c.column & 1) == 0) return false;
    block_id id = heads_[c.row][c.column];
    while (id != no_block && id != gap) id = all[id].next;
    return id == gap;
  }

 private:
  /// The number of blocks of the own class that find() tests first.
  static constexpr unsigned max_probes = 2;
  static constexpr unsigned none = 64;

  struct where {
    unsigned row, column;
  };

  /// Sizes below 128 granules of 256 bytes, rows 0 and 1, have one class each. Computed without a
  /// branch, which would be mispredicted half of the time.
  static constexpr where class_of(std::size_t size) noexcept {
    std::size_t const granules = size >> 8;
    auto const row = static_cast<unsigned>(std::bit_width(granules | 63)) - 6;
    return {row, static_cast<unsigned>(granules >> (row - (row != 0))) & 63};
  }

  /// The first non-empty class in these columns of the row or in later rows; row `none` if there is
  /// none.
  where first_class(unsigned row, std::uint64_t columns) const noexcept {
    columns &= columns_[row];
    if (columns != 0) return {row, static_cast<unsigned>(std::countr_zero(columns))};
    std::uint64_t const rows = rows_ & ~std::uint64_t{1} << row;
    if (rows == 0) return {none, 0};
    auto const next = static_cast<unsigned>(std::countr_zero(rows));
    return {next, static_cast<unsigned>(std::countr_zero(columns_[next]))};
  }

  /// Of the first two gaps of a non-empty class, the one at the lower address.
  block_id lower_of_two(block_table const& all, where c) const noexcept {
    block_id const a = heads_[c.row][c.column], b = all[a].next;
    return b != no_block && all[b].offset < all[a].offset ? b : a;
  }

  /// The fit at the lowest address among the first `max` gaps of a class.
  block_id lowest(block_table const& all, where c, std::size_t size, unsigned max) const noexcept {
    block_id best = no_block;
    std::size_t lowest = ~std::size_t{0};
    for (block_id id = heads_[c.row][c.column]; id != no_block && max != 0; --max) {
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
  block_id heads_[row_count][64] = {};
};

}}}  // namespace placement::v0_1::detail
