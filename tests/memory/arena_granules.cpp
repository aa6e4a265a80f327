// The pool over memory that is mapped in granules of 2 MiB, as CUDA virtual memory is. A model of
// the driver rejects the calls that CUDA rejects. A thin platform adapts it, as a GPU needs.
#include <placement/memory/pool.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20, granule = 2 * mib;

/// Models cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemUnmap, cuMemRelease and
/// cuMemAddressFree. Their rules: whole granules only, nothing is mapped twice, only whole mappings
/// are unmapped, and mapped memory is not released.
class driver {
 public:
  explicit driver(std::size_t capacity) : capacity_(capacity) {}

  void reserve(std::size_t size) {
    check(size % granule == 0 && reserved_ == 0, "reserve");
    reserved_ = size;
  }
  /// Returns a handle, or 0 if memory is short.
  int create(std::size_t size) {
    check(size % granule == 0, "create");
    if (created_.size() * granule + size > capacity_) return 0;
    created_.insert(++last_);
    return last_;
  }
  void map(std::size_t at, int handle) {
    check(at % granule == 0 && at + granule <= reserved_, "map outside of the range");
    check(created_.count(handle) == 1 && mapped_.count(at) == 0, "map what is mapped");
    mapped_[at] = handle;
  }
  int unmap(std::size_t at) {
    check(mapped_.count(at) == 1, "unmap what is not mapped");
    int const handle = mapped_[at];
    mapped_.erase(at);
    return handle;
  }
  void release(int handle) {
    for (auto const& [at, held] : mapped_) check(held != handle, "release what is mapped");
    check(created_.erase(handle) == 1, "release twice");
  }
  void free(std::size_t size) {
    check(size == reserved_ && mapped_.empty(), "free a range that is mapped");
    reserved_ = 0;
  }

  std::size_t created() const { return created_.size() * granule; }
  std::size_t capacity() const { return capacity_; }
  bool is_mapped(std::size_t from, std::size_t to) const {
    for (std::size_t at = from / granule * granule; at < to; at += granule)
      if (mapped_.count(at) == 0) return false;
    return true;
  }

 private:
  static void check(bool right, char const* what) {
    if (!right) throw std::logic_error(what);
  }

  std::size_t capacity_, reserved_ = 0;
  int last_ = 0;
  std::set<int> created_;
  std::map<std::size_t, int> mapped_;
};

class granule_platform final : public platform {
 public:
  explicit granule_platform(driver& d) : driver_(d) {}

  static std::byte* base() { return reinterpret_cast<std::byte*>(std::size_t{1} << 40); }

  kind type() const noexcept override { return kind::gpu; }
  bool simulated() const noexcept override { return false; }
  int count() noexcept override { return 1; }
  hardware describe(int) override { return {}; }
  memory_info memory(int) noexcept override { return {driver_.capacity(), driver_.capacity()}; }

  void* reserve(int, std::size_t bytes) override {
    driver_.reserve(up(bytes));
    return base();
  }
  void commit(int ordinal, void* range, std::size_t offset, std::size_t bytes) override {
    for (std::size_t at = up(offset); at < up(offset + bytes); at += granule) {
      int const handle = driver_.create(granule);
      if (handle == 0) {
        decommit(ordinal, range, offset, at - up(offset));
        throw out_of_memory("the driver is out of memory");
      }
      driver_.map(at, handle);
    }
  }
  void decommit(int, void*, std::size_t offset, std::size_t bytes) noexcept override {
    for (std::size_t at = up(offset); at < up(offset + bytes); at += granule)
      driver_.release(driver_.unmap(at));
  }
  void release(int, void*, std::size_t bytes) noexcept override { driver_.free(up(bytes)); }
  void retire(placement::queue, void*, std::size_t) noexcept override {}

  queue open_queue(int ordinal) override { return {ordinal, nullptr}; }
  void close_queue(queue) noexcept override {}
  void copy(queue, endpoint, endpoint, std::size_t) override {}
  event record(queue) override { return {}; }
  void wait(queue, event) override {}
  void synchronise(queue) override {}

 private:
  static std::size_t up(std::size_t bytes) { return (bytes + granule - 1) / granule * granule; }

  driver& driver_;
};

class generator {
 public:
  std::size_t below(std::size_t n) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % n;
  }

 private:
  std::uint64_t state_ = 7;
};

struct part {
  void* at;
  std::size_t size;
};

/// Runs 20,000 random operations. Returns how many allocations threw out_of_memory.
int run(logical_device d, driver& gpu) {
  granule_platform platform(gpu);
  d.id = gpu0;
  d.owner = &platform;
  pool p(d);
  generator g;
  std::vector<part> blocks;
  int refused = 0, wrong = 0;
  for (int i = 0; i != 20'000; ++i) {
    std::size_t const what = g.below(100);
    if (what == 0) {
      p.trim();
    } else if (what < 48 && !blocks.empty()) {
      part& chosen = blocks[g.below(blocks.size())];
      p.deallocate(chosen.at, chosen.size);
      chosen = blocks.back();
      blocks.pop_back();
    } else {
      std::size_t const size = 1 + g.below(g.below(5) == 0 ? 6 * mib : mib / 4);
      try {
        blocks.push_back({p.allocate(size), size});
        auto const from =
            static_cast<std::size_t>(static_cast<std::byte*>(blocks.back().at) - platform.base());
        wrong += !gpu.is_mapped(from, from + size);
      } catch (out_of_memory const&) { ++refused; }
    }
    // Only the end of the range is rounded up to a granule.
    std::size_t const reserved = p.stats().reserved;
    wrong += gpu.created() < reserved || gpu.created() - reserved >= granule;
    wrong += reserved > p.stats().limit;
  }
  CHECK(wrong == 0);
  CHECK(p.check_invariants());
  for (part const& b : blocks) p.deallocate(b.at, b.size);
  p.trim();
  CHECK(gpu.created() == 0);
  return refused;
}

}  // namespace

TEST_CASE("growth works on memory that is mapped in granules") {
  driver gpu(64 * mib);
  logical_device d;
  d.memory_limit = 64 * mib;
  CHECK(run(d, gpu) > 0);
}

TEST_CASE("odd growth steps and an odd limit work on memory that is mapped in granules") {
  driver gpu(64 * mib);
  logical_device d;
  d.memory_limit = 37 * mib + 768;
  d.steps = {100 * 1024, 1.3};
  CHECK(run(d, gpu) > 0);
}

TEST_CASE("a device with fewer granules than the limit throws out_of_memory and stays usable") {
  driver gpu(24 * mib);
  logical_device d;
  d.memory_limit = 40 * mib;
  d.steps = {100 * 1024, 1.3};
  CHECK(run(d, gpu) > 0);
}

TEST_CASE("whole commits all granules at once") {
  driver gpu(64 * mib);
  granule_platform platform(gpu);
  logical_device d;
  d.id = gpu0;
  d.owner = &platform;
  d.growth = false;
  d.memory_limit = 63 * mib;
  {
    pool p(d);
    p.deallocate(p.allocate(1), 1);
    CHECK(gpu.created() == 64 * mib);
  }
  CHECK(gpu.created() == 0);
}
