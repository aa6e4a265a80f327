#pragma once
/// A part of an arena, free or handed out, and the table of all parts. Ids stay valid while the
/// part lives.

#include <placement/version.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace placement::inline v0_1::detail {

using block_id = std::uint32_t;
/// Not a part. The table has an entry for it all the same, so that links can be set without asking
/// whether there is anything to link to; what is written there means nothing.
inline constexpr block_id no_block = 0;

/// Groups of queues whose work may still touch a part, as bits, and when the last of it was handed
/// in.
struct pending_use {
  std::uint64_t queues = 0;
  std::uint64_t time = 0;

  friend constexpr bool operator==(pending_use, pending_use) = default;
  constexpr void add(pending_use other) noexcept {
    queues |= other.queues;
    if (other.time > time) time = other.time;
  }
};

/// One part. Half a cache line, which it never leaves. Units: bytes.
struct alignas(32) block {
  static constexpr block_id handed_out = ~block_id{0};

  std::size_t offset = ~std::size_t{0}, size = 0;
  block_id before = no_block, after = no_block;     ///< neighbours by address
  block_id previous = no_block, next = handed_out;  ///< others of its size class, while it is free

  bool free() const noexcept { return next != handed_out; }
};

/// The blocks by id. Ids of blocks that ended are used again.
class block_table {
 public:
  block& operator[](block_id id) noexcept { return all_[id]; }
  block const& operator[](block_id id) const noexcept { return all_[id]; }
  /// Queues that used a part: apart, because the search for a gap does not ask.
  pending_use& use(block_id id) noexcept { return uses_[id]; }
  /// Ids are below this.
  std::size_t size() const noexcept { return all_.size(); }
  /// The groups of queues that use blocks which are handed out. Cost: linear.
  std::uint64_t queues_in_use() const noexcept {
    std::uint64_t all = 0;
    for (std::size_t id = no_block + 1; id < all_.size(); ++id)
      if (!all_[id].free()) all |= uses_[id].queues;
    return all;
  }

  /// Makes sure that the next `count` calls of add() cannot fail. Throws: std::bad_alloc; then
  /// nothing was changed.
  void prepare(std::size_t count) {
    if (spare_count_ < count) [[unlikely]]
      grow(count);
  }
  block_id add(block const& b) noexcept {
    block_id const id = spare_;
    spare_ = all_[id].next;
    --spare_count_;
    all_[id] = b;
    return id;
  }
  void remove(block_id id) noexcept {
    all_[id].next = spare_;
    spare_ = id;
    ++spare_count_;
  }

 private:
  [[gnu::cold, gnu::noinline]] void grow(std::size_t count) {
    std::size_t const size = all_.size() + count + all_.size() / 2 + 1;
    uses_.reserve(size);
    all_.reserve(size);
    uses_.resize(size);
    if (all_.empty()) all_.emplace_back();
    while (all_.size() != size) {
      all_.emplace_back();
      remove(static_cast<block_id>(all_.size() - 1));
    }
  }

  std::vector<block> all_;
  std::vector<pending_use> uses_;
  block_id spare_ = no_block;
  std::size_t spare_count_ = 0;
};

}  // namespace placement::inline v0_1::detail
