#pragma once
/// A GPU whose addresses have no memory behind them, so tests can make millions of allocations
/// quickly. The platform checks that each call is valid, and counts committed bytes.

#include <placement/device/platform.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

/// Throws std::logic_error for an invalid call. No library code catches that type.
class address_only_platform final : public placement::platform {
 public:
  explicit address_only_platform(std::size_t total) : total_(total) {}

  /// Bytes that can be committed. Less than the total simulates memory that other processes hold.
  std::size_t capacity = ~std::size_t{0};
  std::size_t backed() const { return backed_; }
  bool reserved() const { return size_ != 0; }

  placement::kind type() const noexcept override { return placement::kind::gpu; }
  bool simulated() const noexcept override { return true; }
  int count() noexcept override { return 1; }
  placement::hardware describe(int) override { return {}; }
  placement::memory_info memory(int) noexcept override { return {total_ - backed_, total_}; }

  void* reserve(int, std::size_t bytes) override {
    if (size_ != 0) throw std::logic_error("a second range");
    size_ = bytes;
    return base();
  }
  void commit(int, void*, std::size_t offset, std::size_t bytes) override {
    if (offset + bytes > size_) throw std::logic_error("commit outside of the range");
    if (bytes > capacity || backed_ > capacity - bytes)
      throw placement::out_of_memory("no memory left");
    for (auto const& [from, to] : spans_)
      if (from < offset + bytes && offset < to) throw std::logic_error("commit of backed memory");
    spans_[offset] = offset + bytes;
    backed_ += bytes;
  }
  void decommit(int, void*, std::size_t offset, std::size_t bytes) noexcept override {
    std::map<std::size_t, std::size_t> kept;
    for (auto const& [from, to] : spans_) {
      if (from < offset) kept[from] = to < offset ? to : offset;
      std::size_t const end = offset + bytes;
      if (to > end) kept[from > end ? from : end] = to;
    }
    spans_.swap(kept);
    backed_ = 0;
    for (auto const& [from, to] : spans_) backed_ += to - from;
  }
  void release(int, void*, std::size_t) noexcept override {
    spans_.clear();
    backed_ = size_ = 0;
  }
  void retire(placement::queue, void*, std::size_t) noexcept override {}
  /// Whether every byte of a block is committed.
  bool is_backed(void const* p, std::size_t bytes) const {
    return is_backed(static_cast<std::size_t>(static_cast<std::byte const*>(p) - base()), bytes);
  }
  bool is_backed(std::size_t at, std::size_t bytes) const {
    std::size_t covered = at;
    for (auto const& [from, to] : spans_)
      if (from <= covered && to > covered) covered = to;
    return covered >= at + bytes;
  }
  /// The end of the last committed span.
  std::size_t end() const { return spans_.empty() ? 0 : spans_.rbegin()->second; }

  placement::queue open_queue(int ordinal) override { return {ordinal, nullptr}; }
  void close_queue(placement::queue) noexcept override {}
  void copy(placement::queue, placement::endpoint, placement::endpoint, std::size_t) override {}
  placement::event record(placement::queue) override { return {}; }
  void wait(placement::queue, placement::event) override {}
  void synchronise(placement::queue) override {}

 private:
  static std::byte* base() { return reinterpret_cast<std::byte*>(std::size_t{1} << 40); }

  std::size_t total_, size_ = 0, backed_ = 0;
  std::map<std::size_t, std::size_t> spans_;  ///< committed spans: from, to
};
