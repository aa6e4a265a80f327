#pragma once
/// Runs a grid, some blocks at a time and in an order that a GPU does not promise.

#include "schedule.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

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

/// The blocks of a launch, which several threads of the host start and run.
class grid_run {
 public:
  grid_run(launch const& l, block_order order, u64 seed)
      : of_(l), count_(l.grid.count()), number_of_(order, count_, seed) {}

  /// Runs blocks until none is left, and none that this call has started. A block that runs for
  /// long, since it may wait for another, is put aside. Throws: fault.
  void work(statistics& stats, std::function<void()> const& after_turn) {
    std::vector<std::unique_ptr<block>> running, idle;
    std::size_t next = 0;
    for (bool left = true; (left || !running.empty()) && !stopped_;) {
      if (left && running.size() < resident) {
        u64 const n = started_++;
        left = n < count_;
        if (left) {
          if (idle.empty()) idle.push_back(std::make_unique<block>(of_, stats));
          running.push_back(std::move(idle.back()));
          idle.pop_back();
          running.back()->begin(number_of_(n));
          ++stats.blocks;
          next = running.size() - 1;
        }
      }
      if (running.empty()) break;
      if (next >= running.size()) next = 0;
      if (scheduler(*running[next]).run(turn)) {
        idle.push_back(std::move(running[next]));
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(next));
      } else {
        ++next;
      }
      after_turn();
    }
  }
  bool has_blocks_left() const { return started_ < count_; }
  void stop() { stopped_ = true; }

 private:
  static constexpr std::size_t resident = 64;  ///< most blocks of a thread that are begun
  static constexpr u64 turn = u64{1} << 18;

  launch const& of_;
  u64 const count_;
  order_of_blocks const number_of_;
  std::atomic<u64> started_ = 0;
  std::atomic<bool> stopped_ = false;
};

/// Threads that help with a launch, and the first fault of them.
class helpers {
 public:
  explicit helpers(grid_run& all) : all_(all) {}
  helpers(helpers const&) = delete;
  helpers& operator=(helpers const&) = delete;
  ~helpers() {
    for (std::thread& t : threads_) t.join();
  }
  bool started() const { return !threads_.empty(); }
  void start(unsigned count) {
    stats_.resize(count);
    for (unsigned i = 0; i != count; ++i)
      threads_.emplace_back([this, i] { run([&] { all_.work(stats_[i], [] {}); }); });
  }
  /// Calls f, and stops all threads if it throws.
  template <class F> void run(F const& f) {
    try {
      f();
    } catch (...) {
      std::lock_guard const lock(guard_);
      if (!error_) error_ = std::current_exception();
      all_.stop();
    }
  }
  /// Waits for the threads, and adds what they have counted. Throws: fault.
  void finish(statistics& stats) {
    for (std::thread& t : threads_) t.join();
    threads_.clear();
    for (statistics const& s : stats_) stats.add(s);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  grid_run& all_;
  std::vector<std::thread> threads_;
  std::vector<statistics> stats_;
  std::mutex guard_;
  std::exception_ptr error_;
};

/// Runs all blocks. After `instructions_alone` instructions other threads of the host help, if the
/// launch has several. Then it is not determined which of several faults is reported. A check of
/// accesses takes one thread. Throws: fault.
inline void run(launch const& l, statistics& stats, block_order order = block_order::last_first,
                u64 seed = 0) {
  ++stats.launches;
  grid_run all(l, order, seed);
  helpers others(all);
  bool const checked = l.initialized != nullptr || l.races != nullptr || l.accessed != nullptr;
  u64 const alone = stats.warp_instructions + l.instructions_alone;
  auto const call_others = [&] {
    if (l.host_threads > 1 && !checked && !others.started() && stats.warp_instructions >= alone &&
        all.has_blocks_left())
      others.start(l.host_threads - 1);
  };
  others.run([&] { all.work(stats, call_others); });
  others.finish(stats);
}

}  // namespace ptx
