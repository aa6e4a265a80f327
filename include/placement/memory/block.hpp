#pragma once
/// A part of an arena, free or allocated, and the table of all parts. An id stays valid while the
/// part exists.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

using block_id = std::uint32_t;
/// The id of no part. The table has an entry for it, so that links are set without a test for
/// no_block. The entry's content has no meaning.
inline constexpr block_id no_block = 0;

/// The groups of queues, as bits, whose work may still access a part. `time`: when the last of that
/// work was enqueued, in queue_order's time.
struct pending_use {
  std::uint64_t queues = 0;
  std::uint64_t time = 0;

  friend constexpr bool operator==(pending_use, pending_use) = default;
  constexpr void add(pending_use other) noexcept {
    queues |= other.queues;
    if (other.time > time) time = other.time;
  }
};

/// One part. Half a cache line in size and alignment, so it never crosses a cache line.
/// Units: bytes.
struct alignas(32) block {
  static constexpr block_id handed_out = ~block_id{0};

  std::size_t offset = ~std::size_t{0}, size = 0;
  block_id before = no_block, after = no_block;     ///< neighbours by address
  block_id previous = no_block, next = handed_out;  ///< the list of its size class, while free

  bool free() const noexcept { return next != handed_out; }
};

/// The blocks by id. Ids of removed blocks are reused.
class block_table {
 public:
  block& operator[](block_id id) noexcept { return all_[id]; }
  block const& operator[](block_id id) const noexcept { return all_[id]; }
  /// The queues that used a part. A separate array, because the search for a gap does not read it.
  pending_use& use(block_id id) noexcept { return uses_[id]; }
  /// All ids are below this.
  std::size_t size() const noexcept { return all_.size(); }
  /// The groups of queues that use allocated blocks. Cost: linear.
  std::uint64_t queues_in_use() const noexcept {
    std::uint64_t all = 0;
    for (std::size_t id = no_block + 1; id < all_.size(); ++id)
      if (!all_[id].free()) all |= uses_[id].queues;
    return all;
  }

  /// Ensures that the next `count` calls of add() cannot fail. Throws: std::bad_alloc; then nothing
  /// was changed.
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

}}}  // namespace placement::v0_1::detail
