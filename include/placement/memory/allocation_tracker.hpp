#pragma once
/// Tracks the bytes and blocks of each op and source line. Each allocation updates them, so a
/// report is possible at any time.

#include <placement/memory/block.hpp>
#include <placement/memory/call_site.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The bytes and blocks that one call site holds.
struct call_site_usage {
  call_site caller;
  std::size_t size = 0;
  std::size_t blocks = 0;
};

namespace detail {

/// One entry for each op and call site that ever held a block; the program's source bounds their
/// number. Thread: not safe. Cost: constant; list(): quadratic in the number of entries.
class allocation_tracker {
 public:
  using entry_id = std::uint32_t;

  /// The entry of a call site, a new one if necessary, and space for blocks with ids below `ids`.
  /// Throws: std::bad_alloc; then nothing was changed.
  entry_id prepare(call_site const& caller, std::size_t ids) {
    if (entry_of_.size() < ids) [[unlikely]]
      entry_of_.resize(ids);
    if (latest_ < entries_.size() && same(entries_[latest_].caller, caller)) return latest_;
    if (2 * entries_.size() >= slots_.size()) [[unlikely]]
      grow();
    std::size_t const at = slot_of(caller);
    if (slots_[at] == no_entry) {
      entries_.push_back({caller});
      slots_[at] = static_cast<entry_id>(entries_.size() - 1);
    }
    return latest_ = slots_[at];
  }
  void record_allocation(block_id id, entry_id entry, std::size_t size) noexcept {
    entry_of_[id] = entry;
    entries_[entry].size += size;
    ++entries_[entry].blocks;
  }
  void record_deallocation(block_id id, std::size_t size) noexcept {
    call_site_usage& entry = entries_[entry_of_[id]];
    entry.size -= size;
    --entry.blocks;
  }
  call_site const& of(block_id id) const noexcept { return entries_[entry_of_[id]].caller; }

  /// The usage of each call site, largest first. Throws: std::bad_alloc.
  std::vector<call_site_usage> list() const {
    std::vector<call_site_usage> all;
    for (call_site_usage const& entry : entries_)
      if (entry.blocks != 0) add(all, entry);
    for (std::size_t i = 1; i < all.size(); ++i)
      for (std::size_t j = i; j != 0 && all[j].size > all[j - 1].size; --j)
        std::swap(all[j], all[j - 1]);
    return all;
  }

  /// Whether the sums of all entries equal the arguments. For tests.
  bool adds_up_to(std::size_t size, std::size_t blocks) const noexcept {
    for (call_site_usage const& entry : entries_) {
      size -= entry.size;
      blocks -= entry.blocks;
    }
    return size == 0 && blocks == 0;
  }

 private:
  static constexpr entry_id no_entry = ~entry_id{0};

  /// Compares texts by address: names of ops and files are literals, mostly with one address per
  /// text. A call site with two addresses has two entries, which list() adds up.
  static bool same(call_site const& a, call_site const& b) noexcept {
    return a.line == b.line && a.file == b.file && a.tag.data() == b.tag.data() &&
           a.tag.size() == b.tag.size() && a.name.data() == b.name.data();
  }
  static void add(std::vector<call_site_usage>& all, call_site_usage const& entry) {
    for (call_site_usage& h : all) {
      if (!(h.caller == entry.caller)) continue;
      h.size += entry.size;
      h.blocks += entry.blocks;
      return;
    }
    all.push_back(entry);
  }

  /// The slot of a call site, or an empty one.
  std::size_t slot_of(call_site const& caller) const noexcept {
    std::uint64_t const mixed = (reinterpret_cast<std::uintptr_t>(caller.tag.data()) * 31 +
                                 reinterpret_cast<std::uintptr_t>(caller.file)) *
                                    31 +
                                caller.line;
    std::size_t at = (mixed * 0x9E3779B97F4A7C15u >> 32) & (slots_.size() - 1);
    while (slots_[at] != no_entry && !same(entries_[slots_[at]].caller, caller))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  [[gnu::cold, gnu::noinline]] void grow() {
    std::vector<entry_id> more(slots_.empty() ? 16 : 2 * slots_.size(), no_entry);
    slots_.swap(more);
    for (entry_id id : more)
      if (id != no_entry) slots_[slot_of(entries_[id].caller)] = id;
  }

  std::vector<call_site_usage> entries_;
  std::vector<entry_id> slots_;     ///< a hash table with open addressing
  std::vector<entry_id> entry_of_;  ///< by block id
  entry_id latest_ = 0;
};

}  // namespace detail

}}  // namespace placement::v0_1
