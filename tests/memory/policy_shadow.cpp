// Random operations on a pool, compared with a model that is independent of arenas. Blocks never
// overlap, figures are exact, the limit holds, and no request fails while a gap fits.
// PLACEMENT_NIGHTLY runs more.
#include <placement/memory/pool.hpp>

#include <support/address_only_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

/// The allocated blocks by address, and the memory that must be committed.
class model {
 public:
  explicit model(std::size_t limit) : limit_(limit) {}

  bool may_add(std::byte const* base, void const* p, std::size_t size) const {
    auto const from = offset(base, p);
    auto const next = used_.lower_bound(from);
    bool const before =
        next == used_.begin() || std::prev(next)->first + std::prev(next)->second <= from;
    bool const after = next == used_.end() || from + size <= next->first;
    return from % 256 == 0 && from + size <= limit_ && before && after;
  }
  void add(std::byte const* base, void const* p, std::size_t size) {
    used_[offset(base, p)] = size;
    in_use_ += size;
    if (in_use_ > peak_) peak_ = in_use_;
  }
  void remove(std::byte const* base, void const* p) {
    auto const at = used_.find(offset(base, p));
    in_use_ -= at->second;
    used_.erase(at);
  }
  std::size_t longest_gap() const {
    std::size_t longest = 0, end = 0;
    for (auto const& [from, size] : used_) {
      if (from - end > longest) longest = from - end;
      end = from + size;
    }
    return limit_ - end > longest ? limit_ - end : longest;
  }
  /// The least memory that the device must commit for a block of this size, at the start of any
  /// gap.
  std::size_t least_cost(address_only_platform const& device, std::size_t size) const {
    std::size_t least = ~std::size_t{0}, end = 0;
    auto look = [&](std::size_t to) {
      if (to - end < size) return;
      std::size_t const cost = cost_of(device, end, size);
      if (cost < least) least = cost;
    };
    for (auto const& [from, taken] : used_) {
      look(from);
      end = from + taken;
    }
    look(limit_);
    return least;
  }
  std::size_t in_use() const { return in_use_; }
  std::size_t peak() const { return peak_; }
  std::size_t count() const { return used_.size(); }
  void reset_peak() { peak_ = in_use_; }

 private:
  static std::size_t offset(std::byte const* base, void const* p) {
    return static_cast<std::size_t>(static_cast<std::byte const*>(p) - base);
  }
  /// Uncommitted whole chunks, and the extension at the end.
  static std::size_t cost_of(address_only_platform const& device, std::size_t from,
                             std::size_t size) {
    constexpr std::size_t chunk = 2 * mib;
    std::size_t const end = device.end();
    std::size_t cost = from + size > end ? from + size - end : 0;
    for (std::size_t at = from / chunk * chunk; at < from + size && at + chunk <= end; at += chunk)
      cost += device.is_backed(at, chunk) ? 0 : chunk;
    return cost;
  }

  std::map<std::size_t, std::size_t> used_;
  std::size_t limit_, in_use_ = 0, peak_ = 0;
};

class generator {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return next() % n; }
  std::size_t size(std::size_t max) {
    double const uniform = static_cast<double>(next() >> 11) * 0x1p-53;
    return static_cast<std::size_t>(std::exp(uniform * std::log(static_cast<double>(max))));
  }

 private:
  std::uint64_t state_ = 2024;
};

int operations() { return std::getenv("PLACEMENT_NIGHTLY") != nullptr ? 10'000'000 : 200'000; }

/// The first inconsistency after an operation. Empty if there is none.
std::string complaint(pool const& p, address_only_platform const& device, model const& m,
                      bool thorough) {
  memory_stats const s = p.stats();
  if (s.in_use != m.in_use() || s.peak != m.peak() || s.allocations != m.count())
    return "in use, peak or allocations are wrong";
  if (s.reserved != device.backed()) return "reserved is not what the device gave";
  if (s.reserved > s.limit) return "the limit is passed";
  if (s.peak_reserved < s.reserved || s.total_allocations < s.allocations)
    return "what is remembered is less than what is";
  if (!thorough) return {};
  if (s.largest_free != m.longest_gap()) return "the largest free block is wrong";
  return p.check_invariants() ? std::string() : "the allocator state is inconsistent";
}

/// `others`: other programs randomly take and release memory of the device.
void run(logical_device d, address_only_platform& device, std::size_t limit, std::size_t max,
         bool others = false) {
  d.id = gpu0;
  d.owner = &device;
  pool p(d);
  REQUIRE(p.stats().limit == limit);
  std::byte* base = nullptr;
  model m(limit);
  generator g;
  struct live {
    void* at;
    std::size_t requested;
  };
  std::vector<live> blocks;
  int refused = 0, refused_by_device = 0;
  int const count = operations();
  for (int i = 0; i != count; ++i) {
    bool const thorough = i < 10'000 || i % (count / 5'000) == 0;
    std::string wrong;
    if (g.below(1000) == 0) {
      std::size_t const before = device.backed();
      if (p.trim() != before - device.backed()) wrong = "trim counts wrongly";
    } else if (others && g.below(100) == 0) {
      device.capacity = device.backed() + g.below(limit - device.backed() + 1);
    } else if (g.below(1000) == 0) {
      p.reset_peak();
      m.reset_peak();
    } else if (!blocks.empty() && g.below(100) < 48) {
      live& chosen = blocks[g.below(blocks.size())];
      p.deallocate(chosen.at, chosen.requested);
      m.remove(base, chosen.at);
      chosen = blocks.back();
      blocks.pop_back();
    } else {
      std::size_t const requested = g.size(max), size = detail::arena::rounded(requested);
      memory_stats before = p.stats();
      try {
        void* const at = p.allocate(requested);
        if (base == nullptr) base = static_cast<std::byte*>(at);  // the first block is at the start
        if (!m.may_add(base, at, size)) wrong = "blocks overlap or leave the range";
        if (!device.is_backed(at, size)) wrong = "a block without memory behind it";
        m.add(base, at, size);
        blocks.push_back({at, requested});
      } catch (out_of_memory const&) {
        ++refused;
        bool const had_room =
            !others || m.least_cost(device, size) <= device.capacity - device.backed();
        if (m.longest_gap() >= size && had_room) wrong = "refused while a gap fits";
        refused_by_device += !had_room && m.longest_gap() >= size;
        ++before.failures;
        if (p.stats() != before) wrong = "a refusal changed something";
      }
    }
    if (wrong.empty()) wrong = complaint(p, device, m, thorough);
    if (!wrong.empty()) FAIL("operation " << i << ": " << wrong);
  }
  CHECK(refused > 0);
  CHECK((refused_by_device > 0) == others);
  for (live const& b : blocks) p.deallocate(b.at, b.requested);
  CHECK(p.stats().largest_free == limit);
  p.trim();
  CHECK(device.backed() == 0);
}

}  // namespace

TEST_CASE("random operations under growth agree with the model") {
  address_only_platform device(64 * mib);
  run({}, device, 48 * mib, 8 * mib);
}

TEST_CASE("random operations under growth with other steps agree with the model") {
  address_only_platform device(64 * mib);
  logical_device d;
  d.steps = {100 * kib, 1.3};
  run(d, device, 48 * mib, mib);
}

TEST_CASE("random operations under whole agree with the model") {
  address_only_platform device(1024 * mib);
  logical_device d;
  d.growth = false;
  run(d, device, 799 * mib, 256 * mib);
}

TEST_CASE("random operations under a fraction agree with the model") {
  address_only_platform device(64 * mib);
  logical_device d;
  d.growth = false;
  d.fraction = 0.37;
  run(d, device, 24'830'208, 2 * mib);
}

TEST_CASE("random operations under growth and a fraction agree with the model") {
  address_only_platform device(64 * mib);
  logical_device d;
  d.fraction = 0.5;
  run(d, device, 32 * mib, 64 * kib);
}

TEST_CASE("random operations under growth and a limit agree with the model") {
  address_only_platform device(64 * mib);
  logical_device d;
  d.memory_limit = 10 * mib + 1000;  // rounded down to 256 bytes
  run(d, device, 10 * mib + 768, mib);
}

TEST_CASE("random operations under a whole limit agree with the model") {
  address_only_platform device(64 * mib);
  logical_device d;
  d.growth = false;
  d.memory_limit = 3 * mib;
  run(d, device, 3 * mib, 64 * kib);
}

TEST_CASE("random operations on a device that other processes use agree with the model") {
  address_only_platform device(64 * mib);
  logical_device d;
  d.memory_limit = 64 * mib;
  run(d, device, 64 * mib, 8 * mib, true);
}
