#pragma once
/// An address range of one device, committed from its start as far as needed.

#include <placement/device/platform.hpp>

#include <cstddef>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Reserved addresses. [0, extent) is committed, except whole chunks inside it that were
/// decommitted. Thread: not safe.
class region {
 public:
  static constexpr std::size_t chunk = std::size_t{2} << 20;

  region(platform& owner, int ordinal) noexcept : owner_(owner), ordinal_(ordinal) {}
  ~region() { release(); }
  region(region const&) = delete;
  region& operator=(region const&) = delete;

  bool reserved() const noexcept { return base_ != nullptr; }
  std::byte* base() const noexcept { return base_; }
  std::size_t extent() const noexcept { return extent_; }
  /// The committed bytes.
  std::size_t backed() const noexcept { return extent_ - uncommitted_ * chunk; }
  /// The maximum of backed() at a note_peak() since the start or the last reset.
  std::size_t peak() const noexcept { return peak_; }
  void note_peak() noexcept {
    if (backed() > peak_) peak_ = backed();
  }
  void reset_peak() noexcept { peak_ = backed(); }
  /// Call before the first use of a block that ends here.
  void hand_out(std::size_t end) noexcept {
    if (end > used_) [[unlikely]]
      use(end);
  }

  /// Reserves the addresses. Strong guarantee. Throws: out_of_memory, std::bad_alloc.
  void reserve(std::size_t size) {
    std::vector<bool> none(size / chunk + 1, false);
    base_ = static_cast<std::byte*>(owner_.reserve(ordinal_, size));
    is_uncommitted_.swap(none);
    size_ = size;
  }
  /// Releases memory and addresses.
  void release() noexcept {
    if (!reserved()) return;
    shrink(0);
    owner_.release(ordinal_, base_, size_);
    base_ = nullptr;
  }

  /// Commits [extent, to). Strong guarantee. Throws: out_of_memory.
  void extend(std::size_t to) {
    owner_.commit(ordinal_, base_, extent_, to - extent_);
    extent_ = to;
  }
  /// Decommits [to, extent).
  void shrink(std::size_t to) noexcept {
    std::size_t from = to;
    for (std::size_t i = (to + chunk - 1) / chunk; uncommitted_ != 0 && (i + 1) * chunk <= extent_;
         ++i) {
      if (!is_uncommitted_[i]) continue;
      decommit(from, i * chunk);
      from = (i + 1) * chunk;
      mark_committed(i);
    }
    decommit(from, extent_);
    extent_ = to;
    if (used_ > to) used_ = to;
  }

  /// The bytes that commit_range() would commit.
  std::size_t uncommitted(std::size_t offset, std::size_t size) const noexcept {
    if (uncommitted_ == 0) return 0;
    std::size_t count = 0;
    for (std::size_t i = offset / chunk; i * chunk < offset + size; ++i)
      count += is_uncommitted_[i];
    return count * chunk;
  }
  /// Commits the uncommitted chunks that [offset, offset + size) touches. Strong guarantee.
  /// Throws: out_of_memory.
  void commit_range(std::size_t offset, std::size_t size) {
    if (uncommitted_ == 0) return;
    std::vector<span> const runs = uncommitted_runs(offset, size);
    std::size_t done = 0;
    try {
      for (; done != runs.size(); ++done)
        owner_.commit(ordinal_, base_, runs[done].from, runs[done].to - runs[done].from);
    } catch (...) {
      while (done-- != 0) decommit(runs[done].from, runs[done].to);
      throw;
    }
    for (span const& r : runs) {
      for (std::size_t at = r.from; at != r.to; at += chunk) mark_committed(at / chunk);
      owner_.first_use(ordinal_, base_, r.from, r.to - r.from);
    }
  }
  /// Decommits the whole chunks inside [offset, offset + size), which no block may use.
  void decommit_range(std::size_t offset, std::size_t size) noexcept {
    std::size_t const last = (offset + size) / chunk;
    for (std::size_t i = (offset + chunk - 1) / chunk; i < last; ++i) {
      std::size_t const first = i;
      for (; i < last && !is_uncommitted_[i]; ++i) {
        is_uncommitted_[i] = true;
        ++uncommitted_;
      }
      decommit(first * chunk, i * chunk);
    }
  }

 private:
  struct span {
    std::size_t from, to;
  };

  std::vector<span> uncommitted_runs(std::size_t offset, std::size_t size) const {
    std::vector<span> runs;
    for (std::size_t i = offset / chunk; i * chunk < offset + size; ++i) {
      if (!is_uncommitted_[i]) continue;
      if (runs.empty() || runs.back().to != i * chunk) runs.push_back({i * chunk, i * chunk});
      runs.back().to += chunk;
    }
    return runs;
  }
  void decommit(std::size_t from, std::size_t to) noexcept {
    if (from != to) owner_.decommit(ordinal_, base_, from, to - from);
  }
  [[gnu::cold, gnu::noinline]] void use(std::size_t end) noexcept {
    owner_.first_use(ordinal_, base_, used_, end - used_);
    used_ = end;
  }
  void mark_committed(std::size_t i) noexcept {
    if (!is_uncommitted_[i]) return;
    is_uncommitted_[i] = false;
    --uncommitted_;
  }

  platform& owner_;
  int ordinal_;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0, extent_ = 0, uncommitted_ = 0, peak_ = 0;
  std::size_t used_ = 0;              ///< the highest end of a used block since it was committed
  std::vector<bool> is_uncommitted_;  ///< decommitted chunks below the extent
};

}}}  // namespace placement::v0_1::detail
