#pragma once
/// The memory that a kernel may access, and what is known of its bytes.

#include "types.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ptx {

/// Addresses from `from` up to `to`, which is excluded.
struct range {
  u64 from, to;
  bool holds(u64 address, u64 bytes) const { return address >= from && address + bytes <= to; }
};

/// The memory that a GPU reaches: ranges of host addresses.
class reachable_memory {
 public:
  reachable_memory() = default;
  explicit reachable_memory(std::vector<range> ranges) : ranges_(std::move(ranges)) {
    std::sort(ranges_.begin(), ranges_.end(),
              [](range const& a, range const& b) { return a.from < b.from; });
  }
  /// The range of an access; nullptr if it reaches beyond one.
  range const* find(u64 address, u64 bytes) const {
    auto it = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                               [](u64 x, range const& r) { return x < r.from; });
    return it != ranges_.begin() && (--it)->holds(address, bytes) ? &*it : nullptr;
  }

 private:
  std::vector<range> ranges_;
};

/// A sparse map from each byte of the address space to a T, which is T{} at first.
template <class T> class per_byte {
 public:
  static constexpr u64 page_bytes = 4096;

  T& operator[](u64 address) {
    u64 const page = address / page_bytes;
    if (page != last_page_) {
      auto& place = pages_[page];
      if (!place) place = std::make_unique<std::array<T, page_bytes>>();
      last_ = place.get();
      last_page_ = page;
    }
    return (*last_)[address % page_bytes];
  }
  void clear() { pages_.clear(), last_page_ = ~u64{0}; }

 private:
  std::unordered_map<u64, std::unique_ptr<std::array<T, page_bytes>>> pages_;
  u64 last_page_ = ~u64{0};
  std::array<T, page_bytes>* last_ = nullptr;
};

/// Which bytes of the GPUs' memory are initialized. Kernels and copies initialize them.
class initialized_bytes {
 public:
  void set(u64 address, std::size_t bytes, bool value = true) {
    for (std::size_t i = 0; i != bytes; ++i) bytes_[address + i] = value;
  }
  bool all(u64 address, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; ++i)
      if (!bytes_[address + i]) return false;
    return true;
  }
  void copy(u64 to, u64 from, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; ++i) bytes_[to + i] = bool{bytes_[from + i]};
  }

 private:
  per_byte<bool> bytes_;
};

/// The blocks of one launch that wrote and read each byte of global memory. Finds two blocks that
/// access a byte, one of them writing.
class block_races {
 public:
  static constexpr s64 nobody = -1;

  /// Returns the other block of a race, or nobody.
  s64 enter(u64 address, std::size_t bytes, bool write, u64 block) {
    auto const me = static_cast<s64>(block) + 1;
    for (std::size_t i = 0; i != bytes; ++i) {
      accesses& byte = of_byte_[address + i];
      if (byte.writer != 0 && byte.writer != me) return byte.writer - 1;
      if (write && byte.reader != 0 && byte.reader != me) return byte.reader - 1;
      if (write && byte.second_reader != 0) return byte.second_reader - 1;
      if (write) byte.writer = me;
      else if (byte.reader == 0 || byte.reader == me) byte.reader = me;
      else byte.second_reader = me;
    }
    return nobody;
  }

 private:
  struct accesses {
    s64 writer = 0, reader = 0, second_reader = 0;  ///< number + 1
  };
  per_byte<accesses> of_byte_;
};

/// What a launch reads and writes, in granules of 4 bytes.
class access_log {
 public:
  static constexpr u64 granule = 4;

  void see(u64 address, std::size_t bytes, bool write) {
    for (u64 g = address / granule; g * granule < address + bytes; ++g)
      of_[g] = static_cast<u8>(of_[g] | (write ? 2 : 1));
  }
  /// Calls f(address, write) for each granule that is read, and for each that is written.
  template <class F> void each(F const& f) const {
    for (auto const& [g, how] : of_) {
      if ((how & 1) != 0) f(g * granule, false);
      if ((how & 2) != 0) f(g * granule, true);
    }
  }

 private:
  std::unordered_map<u64, u8> of_;
};

/// The last accesses to each byte of a block's shared memory.
struct shared_access {
  u32 write_phase = 0, read_phase = 0;  ///< of the block: it begins at each barrier
  u32 write_step = 0, read_step = 0;    ///< of the warp: it begins at each `bar.warp.sync`
  s16 writer = 0, reader = 0;           ///< threads
  bool readers_of_a_warp = false;       ///< several lanes of reader's warp read it
  bool readers_of_warps = false;        ///< threads of several warps read it
};

}  // namespace ptx
