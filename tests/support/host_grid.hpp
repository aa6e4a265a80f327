#pragma once
/// Runs a GPU kernel on the host: blocks one after another, and the threads between two barriers
/// one after another. Odd blocks run their threads in reverse order, which exposes order
/// dependences.

#include <placement/gpu/collapse.hpp>
#include <placement/gpu/sent_value.hpp>
#include <placement/gpu/tile.hpp>
#include <placement/kernels/report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace emulated {

using placement::block_threads;
using placement::index_t;

template <class Kernel> class host_block {
 public:
  using local = typename Kernel::local;

  explicit host_block(index_t number) : number_(number) {
    // shared memory is uninitialised when a block starts
    std::memset(room_, 0xA5, sizeof(room_));
  }

  index_t number() const { return number_; }
  void* shared() { return room_; }
  template <class F> void each(F const& f) {
    for (int k = 0; k != block_threads; ++k) {
      int const thread = number_ % 2 == 0 ? k : block_threads - 1 - k;
      f(thread, mine_[static_cast<std::size_t>(thread)]);
    }
  }
  template <class F> void each_without_barrier(F const& f) { each(f); }

  /// Combines the states s of each group of `group_size` neighbouring threads in thread order.
  template <class Combine> void combine(int group_size, Combine const& combined) {
    for (int d = 1; d < group_size && d < 32; d *= 2) {
      auto const before = mine_;
      for (int t = 0; t != block_threads; ++t) {
        auto const& a = before[static_cast<std::size_t>(t & ~d)].s;
        auto const& b = before[static_cast<std::size_t>(t | d)].s;
        mine_[static_cast<std::size_t>(t)].s = combined(a, b);
      }
    }
    if (group_size <= 32) return;
    auto const before = mine_;
    for (int t = 0; t != block_threads; ++t) {
      int const first = t / group_size * group_size;
      auto s = before[static_cast<std::size_t>(first)].s;
      for (int w = first + 32; w != first + group_size; w += 32)
        s = combined(s, before[static_cast<std::size_t>(w)].s);
      mine_[static_cast<std::size_t>(t)].s = s;
    }
  }

  /// Scans the N states `part` of each thread, as the CUDA block does.
  template <int N, class State, class Join> void scan(State const& start, Join const& joined) {
    constexpr std::size_t warp = 32, warps = std::size_t{block_threads} / warp;
    State of_block = start;
    for (std::size_t w = 0; w != warps; ++w) {
      auto* const lanes = mine_.data() + w * warp;
      State of_warp = start;
      for (std::size_t k = 0; k != std::size_t{N}; ++k) {
        State through[warp], lower[warp];
        for (std::size_t i = 0; i != warp; ++i) through[i] = lanes[i].part[k];
        for (std::size_t d = 1; d < warp; d *= 2) {
          std::copy(through, through + warp, lower);
          for (std::size_t i = d; i != warp; ++i) through[i] = joined(lower[i - d], through[i]);
        }
        for (std::size_t i = 0; i != warp; ++i)
          lanes[i].part[k] = joined(of_block, i == 0 ? of_warp : joined(of_warp, through[i - 1]));
        of_warp = joined(of_warp, through[warp - 1]);
      }
      of_block = joined(of_block, of_warp);
    }
    for (local& l : mine_) l.s = of_block;
  }

  /// Blocks run one after another, so each value has been sent when a block receives it.
  index_t take_ticket(std::uint32_t* count) const { return (*count)++; }
  template <class T> void send(placement::sent_value<T>* to, T const& value) const {
    *to = placement::sent_value<T>::of(value);
  }
  template <class T> T receive(placement::sent_value<T> const* from) const {
    if (!from->is_complete()) throw std::logic_error("a block waits for a later one");
    return from->value();
  }

 private:
  index_t number_;
  std::vector<local> mine_ = std::vector<local>(block_threads);
  alignas(16) unsigned char room_[Kernel::shared_bytes + 16];
};

/// Temporary memory for a kernel.
class host_scratch {
 public:
  explicit host_scratch(std::size_t bytes) : bytes_(bytes) {}
  void* data() { return bytes_.data(); }
  void* data() const { return const_cast<unsigned char*>(bytes_.data()); }

 private:
  std::vector<unsigned char> bytes_;
};

/// Runs kernels and counts the launches.
struct host_grid {
  int* launches = nullptr;
  placement::kernel_report* reports = nullptr;
  index_t max_piece_elements = placement::max_piece_elements;

  template <class Kernel> void operator()(Kernel const& kernel, index_t blocks) const {
    if (launches != nullptr) ++*launches;
    for (index_t b = 0; b != blocks; ++b) {
      host_block<Kernel> block(b);
      kernel.run(block);
    }
  }
  placement::device where() const { return placement::cpu0; }
  host_scratch allocate_scratch(std::size_t bytes) const { return host_scratch(bytes); }
  placement::kernel_report* report() const { return reports; }
};

}  // namespace emulated
