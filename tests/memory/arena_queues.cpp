// Memory moves from one queue to another only behind an event. Random programs run on a GPU that
// delays and reorders work as far as its queues allow. PLACEMENT_NIGHTLY runs more of them.
#include <placement/memory/pool.hpp>

#include <support/adversarial_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t granule = 256, capacity = 16 * granule;
/// Four of these are a chunk that trim() releases, which leaves uncommitted gaps between blocks.
constexpr std::size_t quarter_chunk = detail::region::chunk / 4;

/// What a program fails to report to the pool, or a device fails to do. Without a mistake the pool
/// is never wrong.
enum class mistake { none, forgets_other_users, allocates_for_one_queue, trims_without_waiting };

struct random_program {
  random_program(std::uint64_t seed, mistake m, int queues = 3, std::size_t units = 16)
      : unit(seed % 2 == 0 ? granule : quarter_chunk),
        queue_count(static_cast<std::size_t>(queues)),
        memory_size(units * unit),
        gpu(memory_size, queues, seed, unit),
        about(describe()),
        memory(about),
        forgets(m) {
    gpu.waits_for_nothing = m == mistake::trims_without_waiting;
  }

  logical_device describe() {
    logical_device d;
    d.id = gpu0;
    d.owner = &gpu;
    d.memory_limit = memory_size;
    d.work = gpu.queue_at(0);
    return d;
  }
  queue any_queue() { return gpu.queue_at(gpu.random_below(queue_count)); }

  void allocate() {
    std::size_t const size = (1 + gpu.random_below(4)) * unit;
    queue const q = any_queue();
    if (memory.stats().largest_free < size) return;
    void* const at = forgets == mistake::allocates_for_one_queue ? memory.allocate(size)
                                                                 : memory.allocate(size, q);
    std::uint64_t const value = gpu.random();
    gpu.write(q, at, size, ~value);  // poison first, then the contents
    gpu.write(q, at, size, value);
    blocks.push_back({at, size, value, q});
  }
  /// Another queue reads a block, after the work so far of the block's own queue.
  void read_elsewhere() {
    if (blocks.empty()) return;
    used const& b = blocks[gpu.random_below(blocks.size())];
    queue const other = any_queue();
    gpu.wait(other, gpu.record(b.owner));
    if (forgets != mistake::forgets_other_users) memory.used_by(b.at, other);
    gpu.check(other, b.at, b.size, b.value);
  }
  void free() {
    if (blocks.empty()) return;
    std::size_t const i = gpu.random_below(blocks.size());
    used const b = blocks[i];
    blocks[i] = blocks.back();
    blocks.pop_back();
    gpu.check(b.owner, b.at, b.size, b.value);
    memory.deallocate(b.at, b.size);
  }
  /// Releases free memory although work of its last users may be pending.
  void trim() {
    memory.trim();
    std::size_t range = 0;
    memory.for_each_part([&](std::size_t, std::size_t size, bool) { range += size; });
    if (memory.stats().reserved != range) ++holes;
    if (!memory.check_invariants()) ++broken;
  }
  /// Returns the number of checks that found other contents.
  int run(int steps = 40) {
    for (int i = 0; i != steps; ++i) {
      switch (gpu.random_below(8)) {
        case 0:
        case 1:
        case 2: allocate(); break;
        case 3: read_elsewhere(); break;
        case 4:
        case 5: free(); break;
        case 6:
          if (unit == quarter_chunk || gpu.random_below(4) == 0) trim();
          break;
        default:
          for (std::size_t n = gpu.random_below(8); n != 0; --n) gpu.step();
      }
    }
    while (!blocks.empty()) free();
    while (gpu.step()) {}
    return gpu.spoiled() + broken;
  }

  struct used {
    void* at;
    std::size_t size;
    std::uint64_t value;
    queue owner;
  };

  std::size_t unit, queue_count, memory_size;
  adversarial_platform gpu;
  logical_device about;
  pool memory;
  mistake forgets;
  int holes = 0;  ///< number of trims that left uncommitted gaps
  int broken = 0;
  std::vector<used> blocks;
};

int spoiled_programs(int count, mistake m) {
  int spoiled = 0;
  for (int seed = 0; seed != count; ++seed)
    spoiled += random_program(static_cast<std::uint64_t>(seed), m).run() != 0;
  return spoiled;
}

}  // namespace

TEST_CASE("no schedule of three queues finds memory that was reused too early") {
  int const count = std::getenv("PLACEMENT_NIGHTLY") != nullptr ? 1'000'000 : 100'000;
  CHECK(spoiled_programs(count, mistake::none) == 0);
}

TEST_CASE("the schedules detect programs that hide a queue, and devices that do not wait") {
  CHECK(spoiled_programs(2'000, mistake::forgets_other_users) > 20);
  CHECK(spoiled_programs(2'000, mistake::allocates_for_one_queue) > 20);
  CHECK(spoiled_programs(2'000, mistake::trims_without_waiting) > 20);
}

TEST_CASE("the schedules create uncommitted gaps between blocks in use") {
  int with_uncommitted = 0;
  for (std::uint64_t seed = 1; seed < 2'000; seed += 2) {
    random_program p(seed, mistake::none);
    p.run();
    with_uncommitted += p.holes != 0;
  }
  CHECK(with_uncommitted > 200);
}

TEST_CASE("a block that stays on its queue needs no event, one that moves needs one") {
  adversarial_platform gpu(capacity, 3, 1);
  logical_device d;
  d.id = gpu0;
  d.owner = &gpu;
  d.memory_limit = capacity;
  d.work = gpu.queue_at(0);
  pool p(d);
  auto pass = [&](std::size_t from, std::size_t to) {
    int const before = gpu.events();
    void* const a = p.allocate(capacity, gpu.queue_at(from));
    p.deallocate(a, capacity);
    void* const b = p.allocate(capacity, gpu.queue_at(to));
    CHECK(a == b);
    p.deallocate(b, capacity);
    return gpu.events() - before;
  };
  CHECK(pass(0, 0) == 0);
  CHECK(pass(0, 1) == 1);
  CHECK(pass(1, 1) == 0);
  CHECK(pass(1, 2) == 1);
  CHECK(pass(0, 0) == 1);
}

TEST_CASE("one awaited event covers all memory that was free before it") {
  adversarial_platform gpu(capacity, 2, 1);
  logical_device d;
  d.id = gpu0;
  d.owner = &gpu;
  d.memory_limit = capacity;
  d.work = gpu.queue_at(0);
  pool p(d);
  std::vector<void*> blocks;
  for (int i = 0; i != 16; ++i) blocks.push_back(p.allocate(granule));
  for (void* b : blocks) p.deallocate(b, granule);
  for (int i = 0; i != 16; ++i) p.allocate(granule, gpu.queue_at(1));
  CHECK(gpu.events() == 1);
}

TEST_CASE("a thousand queues can use a pool one after another, each behind one event") {
  constexpr int queues = 1000;
  adversarial_platform gpu(capacity, queues, 1);
  logical_device d;
  d.id = gpu0;
  d.owner = &gpu;
  d.memory_limit = capacity;
  d.work = gpu.queue_at(0);
  pool p(d);
  for (std::size_t i = 0; i != queues; ++i) {
    queue const q = gpu.queue_at(i);
    void* const a = p.allocate(capacity, q);
    gpu.write(q, a, capacity, i);
    gpu.check(q, a, capacity, i);
    p.deallocate(a, capacity);
    if (i % 7 == 0)
      while (gpu.step()) {}
  }
  while (gpu.step()) {}
  CHECK(gpu.spoiled() == 0);
  CHECK(gpu.events() < 2 * queues);
  CHECK(p.check_invariants());
}

TEST_CASE("a hundred queues can hold memory at the same time") {
  constexpr std::size_t queues = 100, size = queues * granule;
  adversarial_platform gpu(size, queues, 1);
  logical_device d;
  d.id = gpu0;
  d.owner = &gpu;
  d.memory_limit = size;
  d.work = gpu.queue_at(0);
  pool p(d);
  std::vector<void*> blocks;
  for (std::uint64_t round = 0; round != 3; ++round) {
    for (std::size_t i = 0; i != queues; ++i) {
      queue const q = gpu.queue_at((i + round) % queues);
      blocks.push_back(p.allocate(granule, q));
      gpu.write(q, blocks.back(), granule, round * queues + i);
      gpu.check(q, blocks.back(), granule, round * queues + i);
    }
    for (void* b : blocks) p.deallocate(b, granule);
    blocks.clear();
  }
  while (gpu.step()) {}
  CHECK(gpu.spoiled() == 0);
}

TEST_CASE("no schedule of a hundred queues finds memory that was reused too early") {
  int spoiled = 0;
  for (std::uint64_t seed = 0; seed != 300; seed += 2) {
    random_program p(seed, mistake::none, 100, 120);
    spoiled += p.run(2000) != 0;
  }
  CHECK(spoiled == 0);
}
