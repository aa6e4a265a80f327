#pragma once
/// Which op and line holds how much, kept up with each block, so that it can be told at any time.

#include <placement/memory/block.hpp>
#include <placement/memory/holder.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace placement::inline v0_1 {

/// Bytes and blocks that one call site holds.
struct holding {
  holder who;
  std::size_t size = 0;
  std::size_t blocks = 0;
};

namespace detail {

/// A line for each op and call site that ever held a block: as many as the program's source has.
/// Thread: not safe. Cost: constant; a list of all: the number of lines.
class ledger {
 public:
  using line_id = std::uint32_t;

  /// The line of a holder, a new one if need be, and room for blocks with ids below `ids`.
  /// Throws: std::bad_alloc; then nothing was changed.
  line_id prepare(holder const& who, std::size_t ids) {
    if (line_of_.size() < ids) [[unlikely]]
      line_of_.resize(ids);
    if (latest_ < lines_.size() && same(lines_[latest_].who, who)) return latest_;
    if (2 * lines_.size() >= slots_.size()) [[unlikely]]
      grow();
    std::size_t const at = slot_of(who);
    if (slots_[at] == nobody) {
      lines_.push_back({who});
      slots_[at] = static_cast<line_id>(lines_.size() - 1);
    }
    return latest_ = slots_[at];
  }
  void take(block_id id, line_id line, std::size_t size) noexcept {
    line_of_[id] = line;
    lines_[line].size += size;
    ++lines_[line].blocks;
  }
  void give(block_id id, std::size_t size) noexcept {
    holding& line = lines_[line_of_[id]];
    line.size -= size;
    --line.blocks;
  }
  holder const& of(block_id id) const noexcept { return lines_[line_of_[id]].who; }

  /// What each holder has, the most first. Throws: std::bad_alloc.
  std::vector<holding> list() const {
    std::vector<holding> all;
    for (holding const& line : lines_)
      if (line.blocks != 0) add(all, line);
    for (std::size_t i = 1; i < all.size(); ++i)
      for (std::size_t j = i; j != 0 && all[j].size > all[j - 1].size; --j)
        std::swap(all[j], all[j - 1]);
    return all;
  }

  /// Whether the lines add up to this. For tests.
  bool holds(std::size_t size, std::size_t blocks) const noexcept {
    for (holding const& line : lines_) {
      size -= line.size;
      blocks -= line.blocks;
    }
    return size == 0 && blocks == 0;
  }

 private:
  static constexpr line_id nobody = ~line_id{0};

  /// The texts are those of ops and of source files: the same one stands at the same address,
  /// mostly; where it does not, a holder has two lines, which list() adds up.
  static bool same(holder const& a, holder const& b) noexcept {
    return a.line == b.line && a.file == b.file && a.tag.data() == b.tag.data() &&
           a.tag.size() == b.tag.size() && a.name.data() == b.name.data();
  }
  static void add(std::vector<holding>& all, holding const& line) {
    for (holding& h : all) {
      if (!(h.who == line.who)) continue;
      h.size += line.size;
      h.blocks += line.blocks;
      return;
    }
    all.push_back(line);
  }

  /// The slot of a holder, or an empty one.
  std::size_t slot_of(holder const& who) const noexcept {
    std::uint64_t const mixed = (reinterpret_cast<std::uintptr_t>(who.tag.data()) * 31 +
                                 reinterpret_cast<std::uintptr_t>(who.file)) *
                                    31 +
                                who.line;
    std::size_t at = (mixed * 0x9E3779B97F4A7C15u >> 32) & (slots_.size() - 1);
    while (slots_[at] != nobody && !same(lines_[slots_[at]].who, who))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  [[gnu::cold, gnu::noinline]] void grow() {
    std::vector<line_id> more(slots_.empty() ? 16 : 2 * slots_.size(), nobody);
    slots_.swap(more);
    for (line_id id : more)
      if (id != nobody) slots_[slot_of(lines_[id].who)] = id;
  }

  std::vector<holding> lines_;
  std::vector<line_id> slots_;    ///< a hash table with open addresses
  std::vector<line_id> line_of_;  ///< by block id
  line_id latest_ = 0;
};

}  // namespace detail

}  // namespace placement::inline v0_1
