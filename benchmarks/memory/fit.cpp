// Fragmentation: the smallest range in which a trace runs, relative to the live bytes at its peak.
// Compares the arena's choice of gaps with exact best fit, which searches all of them. Prints the
// minimum, the median and the maximum of five seeds.
#include <placement/memory/arena.hpp>

#include <benchmark/benchmark.h>

#include <memory/traces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace {

using placement::detail::arena;
using placement::detail::no_block;

constexpr std::size_t steps = 200'000;
constexpr std::size_t nowhere = ~std::size_t{0};

class arena_choice {
 public:
  explicit arena_choice(std::size_t capacity) { arena_->extend(capacity); }

  std::size_t allocate(std::size_t size) {
    auto const gap = arena_->find(size);
    return gap == no_block ? nowhere : arena_->offset(arena_->allocate(gap, size));
  }
  void deallocate(std::size_t offset) { arena_->deallocate(offset); }

 private:
  std::unique_ptr<arena> arena_ = std::make_unique<arena>();
};

/// The shortest gap that fits. Of several, the one at the lowest address.
class best_fit {
 public:
  explicit best_fit(std::size_t capacity) { add(0, capacity); }

  std::size_t allocate(std::size_t size) {
    auto const fit = by_size_.lower_bound({size, 0});
    if (fit == by_size_.end()) return nowhere;
    auto const [length, offset] = *fit;
    remove(offset, length);
    if (length != size) add(offset + size, length - size);
    used_[offset] = size;
    return offset;
  }
  void deallocate(std::size_t offset) {
    std::size_t size = used_[offset];
    used_.erase(offset);
    if (auto const after = by_offset_.find(offset + size); after != by_offset_.end()) {
      auto const [at, length] = *after;
      remove(at, length);
      size += length;
    }
    auto const next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      auto const [at, length] = *std::prev(next);
      if (at + length == offset) {
        remove(at, length);
        return add(at, length + size);
      }
    }
    add(offset, size);
  }

 private:
  void add(std::size_t offset, std::size_t size) {
    by_size_.insert({size, offset});
    by_offset_[offset] = size;
  }
  void remove(std::size_t offset, std::size_t size) {
    by_size_.erase({size, offset});
    by_offset_.erase(offset);
  }

  std::set<std::pair<std::size_t, std::size_t>> by_size_;
  std::map<std::size_t, std::size_t> by_offset_, used_;
};

template <class Choice> bool fits(traces::trace const& t, std::size_t capacity) {
  Choice range(capacity);
  std::vector<std::size_t> at(t.slots);
  for (traces::step const& s : t.steps) {
    std::size_t& slot = at[s.slot];
    if (s.size == 0) range.deallocate(slot);
    else slot = range.allocate(traces::rounded(s.size));
    if (slot == nowhere) return false;
  }
  return true;
}
template <class Choice> double capacity_over_live(traces::trace const& t) {
  double ratio = 1;
  while (!fits<Choice>(
      t, traces::rounded(static_cast<std::size_t>(static_cast<double>(t.peak_live) * ratio))))
    ratio += 0.005;
  return ratio;
}

traces::trace of_kind(std::int64_t kind, std::uint64_t seed) {
  constexpr double mib = 1 << 20;
  switch (kind) {
    case 0: return traces::training(steps, seed);
    case 1: return traces::random_slots(steps, mib / 16, 2048, seed);
    case 2: return traces::random_slots(steps, 64 * mib, 2048, seed);
    default: return traces::random_slots(steps, 64 * mib, 1024, seed);
  }
}

template <class Choice> void least_range(benchmark::State& state) {
  std::vector<double> ratios;
  for (auto _ : state) {
    ratios.clear();
    for (std::uint64_t seed = 2; seed != 7; ++seed)
      ratios.push_back(capacity_over_live<Choice>(of_kind(state.range(0), seed)));
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["least"] = ratios.front();
  state.counters["middle"] = ratios[ratios.size() / 2];
  state.counters["largest"] = ratios.back();
  constexpr char const* names[] = {"training", "random to 64 KiB", "random to 64 MiB",
                                   "random to 64 MiB, 1,024 slots"};
  state.SetLabel(names[state.range(0)]);
}

}  // namespace

BENCHMARK(least_range<arena_choice>)->DenseRange(0, 3)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(least_range<best_fit>)->DenseRange(0, 3)->Iterations(1)->Unit(benchmark::kSecond);
