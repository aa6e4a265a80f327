#pragma once
/// Runs a grid, some blocks at a time and in an order that a GPU does not promise.

#include "schedule.hpp"

#include <memory>
#include <random>

namespace ptx {

enum class block_order { last_first, first_last, random };

/// The n-th block that starts, of `count`. A random order is a permutation that the seed chooses.
class order_of_blocks {
 public:
  order_of_blocks(block_order order, u64 count, u64 seed)
      : order_(order), count_(count), bits_(static_cast<u32>(std::bit_width(count - 1))) {
    std::mt19937_64 draw(seed);
    for (u64& key : keys_) key = draw();
  }
  u64 operator()(u64 n) const {
    if (order_ == block_order::first_last) return n;
    if (order_ == block_order::last_first) return count_ - 1 - n;
    do n = scrambled(n);
    while (n >= count_);  // a permutation of a power of two, walked until it is inside
    return n;
  }

 private:
  u64 scrambled(u64 n) const {
    u64 const ones = bits_ == 0 ? 0 : ~u64{0} >> (64 - bits_);
    for (u64 const key : keys_) {
      n = (n * (key | 1) + (key >> 32)) & ones;
      n ^= n >> (bits_ / 2 + 1);
    }
    return n;
  }
  block_order order_;
  u64 count_;
  u32 bits_;
  u64 keys_[3]{};
};

/// Runs all blocks. A block that runs for long, since it may wait for another, is put aside, and
/// at most `resident` blocks are. Throws: fault.
inline void run(launch const& l, statistics& stats, block_order order = block_order::last_first,
                u64 seed = 0) {
  constexpr std::size_t resident = 64;
  constexpr u64 turn = u64{1} << 22;
  ++stats.launches;
  u64 const count = l.grid.count();
  order_of_blocks const number_of(order, count, seed);
  std::vector<std::unique_ptr<block>> running, idle;
  u64 started = 0;
  std::size_t next = 0;
  while (started != count || !running.empty()) {
    if (started != count && running.size() < resident) {
      if (idle.empty()) idle.push_back(std::make_unique<block>(l, stats));
      running.push_back(std::move(idle.back()));
      idle.pop_back();
      running.back()->begin(number_of(started++));
      ++stats.blocks;
      next = running.size() - 1;
    }
    if (next >= running.size()) next = 0;
    if (scheduler(*running[next]).run(turn)) {
      idle.push_back(std::move(running[next]));
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(next));
    } else {
      ++next;
    }
  }
}

}  // namespace ptx
