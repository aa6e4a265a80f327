// gpus: 2
// The k-th failure for every k: of the platform's calls, then of host allocations. A failed
// operation has no effect: figures, allocator state and the device are unchanged, nothing leaks,
// and the next one works.
#include <placement/device/simulated.hpp>
#include <placement/memory/allocation_log.hpp>
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>

#include <support/faulty_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

using namespace placement;

namespace {

/// Counts host allocations. While armed, fails the k-th one.
struct host_memory {
  static inline bool armed = false;
  static inline int left = 0;
  static inline long live = 0;

  static void* take(std::size_t size, std::size_t alignment) noexcept {
    if (armed && --left == 0) return nullptr;
    std::size_t const rounded = (size + alignment - 1) / alignment * alignment;
    void* const p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    live += p != nullptr;
    return p;
  }
  static void give(void* p) noexcept {
    live -= p != nullptr;
    std::free(p);
  }
};
void* take_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const p = host_memory::take(size, alignment)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return take_or_throw(size, 16); }
void* operator new(std::size_t size, std::align_val_t a) {
  return take_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  return host_memory::take(size, 16);
}
void* operator new(std::size_t size, std::align_val_t a, std::nothrow_t const&) noexcept {
  return host_memory::take(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { host_memory::give(p); }
void operator delete(void* p, std::size_t) noexcept { host_memory::give(p); }
void operator delete(void* p, std::align_val_t) noexcept { host_memory::give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { host_memory::give(p); }

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// A pool on a GPU that fails on request, and the blocks that a scenario has prepared.
struct bench {
  simulated_platform gpus{{.count = 1, .memory_bytes = 64 * mib}};
  faulty_platform gpu{gpus};
  logical_device about;
  std::unique_ptr<pool> memory;
  std::vector<void*> blocks;
  queue queues[4] = {gpus.open_queue(0), gpus.open_queue(0), gpus.open_queue(0),
                     gpus.open_queue(0)};

  explicit bench(bool growth = true) {
    about.id = gpu0;
    about.owner = &gpu;
    about.growth = growth;
    about.memory_limit = 64 * mib;
    about.work = queue_at(0);
    memory = std::make_unique<pool>(about);
    blocks.reserve(1000);
  }
  queue queue_at(int i) { return queues[i]; }
  void* add(std::size_t size) {
    blocks.push_back(memory->allocate(size));
    return blocks.back();
  }
};

struct scenario {
  char const* name;
  void (*prepare)(bench&);
  void (*act)(bench&);
  bool growth = true;
};

constexpr scenario scenarios[] = {
    {"the first block under growth", [](bench&) {}, [](bench& b) { b.memory->allocate(100); }},
    {"the first block under whole", [](bench&) {}, [](bench& b) { b.memory->allocate(100); },
     false},
    {"a first block of several steps", [](bench&) {},
     [](bench& b) { b.memory->allocate(9 * mib); }},
    {"a block of all", [](bench&) {}, [](bench& b) { b.memory->allocate(64 * mib); }},
    {"a block of nothing", [](bench&) {}, [](bench& b) { b.memory->allocate(0); }},
    {"a block that makes the region grow", [](bench& b) { b.add(mib); },
     [](bench& b) { b.memory->allocate(3 * mib); }},
    {"a block from the gap at the end", [](bench& b) { b.add(mib); },
     [](bench& b) { b.memory->allocate(mib / 2); }},
    {"a block from a gap between others",
     [](bench& b) {
       void* const first = b.add(mib);
       b.add(mib);
       b.memory->deallocate(first, mib);
     },
     [](bench& b) { b.memory->allocate(mib / 2); }},
    {"a block that fills a gap",
     [](bench& b) {
       void* const first = b.add(mib);
       b.add(mib);
       b.memory->deallocate(first, mib);
     },
     [](bench& b) { b.memory->allocate(mib); }},
    {"the block at which the map of blocks grows",
     [](bench& b) {
       for (int i = 0; i != 32; ++i) b.add(256);
     },
     [](bench& b) { b.memory->allocate(256); }},
    {"one of many blocks",
     [](bench& b) {
       for (int i = 0; i != 700; ++i) b.add(256);
       for (std::size_t i = 0; i != 700; i += 2) b.memory->deallocate(b.blocks[i], 256);
     },
     [](bench& b) { b.memory->allocate(512); }},
    {"a block in memory that was trimmed away",
     [](bench& b) {
       void* const first = b.add(10 * mib);
       b.add(mib);
       b.memory->deallocate(first, 10 * mib);
       b.memory->trim();
     },
     [](bench& b) { b.memory->allocate(10 * mib); }},
    {"a block that grows over memory that was trimmed away",
     [](bench& b) {
       b.add(mib);
       void* const last = b.add(10 * mib);
       b.memory->deallocate(last, 10 * mib);
       b.memory->trim();
     },
     [](bench& b) { b.memory->allocate(40 * mib); }},
    {"a block in a region that was trimmed to nothing",
     [](bench& b) {
       b.memory->deallocate(b.memory->allocate(10 * mib), 10 * mib);
       b.memory->trim();
     },
     [](bench& b) { b.memory->allocate(mib); }},
    {"a block for a queue that is new", [](bench& b) { b.add(mib); },
     [](bench& b) { b.memory->allocate(mib / 4, b.queue_at(1)); }},
    {"a block that another queue used",
     [](bench& b) { b.memory->deallocate(b.memory->allocate(2 * mib), 2 * mib); },
     [](bench& b) { b.memory->allocate(2 * mib, b.queue_at(1)); }},
    {"a block that three other queues used",
     [](bench& b) {
       void* const p = b.memory->allocate(2 * mib);
       b.memory->used_by(p, b.queue_at(1));
       b.memory->used_by(p, b.queue_at(2));
       b.memory->deallocate(p, 2 * mib);
     },
     [](bench& b) { b.memory->allocate(2 * mib, b.queue_at(3)); }},
    {"a block that grows from a gap of another queue",
     [](bench& b) { b.memory->deallocate(b.memory->allocate(2 * mib), 2 * mib); },
     [](bench& b) { b.memory->allocate(20 * mib, b.queue_at(1)); }},
    {"a second user of a block", [](bench& b) { b.add(mib); },
     [](bench& b) { b.memory->used_by(b.blocks[0], b.queue_at(1)); }},
    {"a block that is refused, with many holders",
     [](bench& b) {
       for (int i = 0; i != 20; ++i) b.add(mib);
     },
     [](bench& b) {
       try {
         b.memory->allocate(63 * mib);
       } catch (out_of_memory const&) {  // expected
       }
     }},
    {"the list of holders", [](bench& b) { b.add(mib); },
     [](bench& b) { static_cast<void>(b.memory->usage_by_call_site()); }},
    {"a block that is written to the allocation log", [](bench& b) { b.add(mib); },
     [](bench& b) {
       allocation_log const log("/dev/null");
       b.memory->allocate(5 * mib, {"MatMul", "a_file_with_a_long_name.cpp", 1000});
     }},
};

/// The state that a failure must not change. A range of addresses may remain: it has no memory
/// behind it.
struct state {
  memory_stats figures;
  std::size_t device_free;

  explicit state(bench& b) : figures(b.memory->stats()), device_free(b.gpus.memory(0).free) {
    figures.failures = 0;  // not compared: the failed request counts
  }
};

/// Makes the k-th call fail. Returns whether there was a k-th call, as `disarm` reports.
template <class Arm, class Disarm>
bool fails_whole(scenario const& s, int k, Arm arm, Disarm disarm) {
  bench b(s.growth);
  s.prepare(b);
  state const before(b);
  arm(b, k);
  bool failed = false;
  try {
    s.act(b);
  } catch (error const&) { failed = true; }
  bool const was_its_turn = disarm(b);
  INFO("failure " << k);
  CHECK(b.memory->check_invariants());
  CHECK(b.gpu.open_events() == 0);
  if (!failed) return was_its_turn;
  state const after(b);
  CHECK(after.figures == before.figures);
  CHECK(after.device_free == before.device_free);
  void* const next = b.memory->allocate(256);
  CHECK(b.memory->stats().in_use == before.figures.in_use + 256);
  b.memory->deallocate(next, 256);
  s.act(b);  // the same operation succeeds
  return true;
}

template <class Arm, class Disarm> void try_all(scenario const& s, Arm arm, Disarm disarm) {
  INFO(s.name);
  detail::the_allocation_log();
  long const live = host_memory::live;
  int k = 1;
  while (fails_whole(s, k, arm, disarm)) ++k;
  CHECK(k < 60);
  CHECK(host_memory::live == live);
}

/// The platform of the process: two GPUs that fail on request.
struct two_gpus {
  simulated_platform gpus{{.count = 2}};
  faulty_platform gpu{gpus};
};
two_gpus& process() {
  static two_gpus& all = *new two_gpus;
  return all;
}

struct tensor_scenario {
  char const* name;
  matrix<float> (*act)(matrix<float>& a, matrix<float>& b);
};

constexpr tensor_scenario tensor_scenarios[] = {
    {"a constant",
     [](matrix<float>&, matrix<float>&) { return matrix<float>{{1.f, 2.f}, {3.f, 4.f}}; }},
    {"a fill",
     [](matrix<float>&, matrix<float>&) { return matrix<float>(zeros<float>(700, 700)); }},
    {"a fused sum", [](matrix<float>& a, matrix<float>&) { return matrix<float>(a * 2.f + a); }},
    {"operands of two devices",
     [](matrix<float>& a, matrix<float>& b) { return matrix<float>(a + b); }},
    {"a product of a fused operand",
     [](matrix<float>& a, matrix<float>& b) { return matrix<float>(matmul(a + 1.f, b)); }},
    {"a product with what follows it",
     [](matrix<float>& a, matrix<float>& b) { return matrix<float>(relu(matmul(a, b) + a)); }},
    {"a copy to another device", [](matrix<float>& a, matrix<float>&) { return copy_to(gpu1, a); }},
    {"an assignment from another device",
     [](matrix<float>& a, matrix<float>& b) {
       matrix<float> c = a;
       c = c + b;
       return c;
     }},
};

/// Makes the k-th call fail. Returns whether there was a k-th call.
template <class Arm, class Disarm>
bool tensors_fail_whole(tensor_scenario const& s, matrix<float>& a, matrix<float>& b, int k,
                        Arm arm, Disarm disarm) {
  INFO("failure " << k);
  memory_stats const before[] = {memory_stats_of(gpu0), memory_stats_of(gpu1)};
  synchronize();  // pending work holds host memory
  long const live = host_memory::live;
  arm(k);
  try {
    s.act(a, b);
  } catch (error const&) {  // expected
  }
  bool const was_its_turn = disarm();
  synchronize();
  CHECK(host_memory::live == live);
  for (device d : {gpu0, gpu1}) {
    CHECK(memory_stats_of(d).in_use == before[d.index].in_use);
    CHECK(memory_stats_of(d).allocations == before[d.index].allocations);
    CHECK(pool_of(d).check_invariants());
  }
  CHECK(process().gpu.open_events() == 0);
  CHECK(a.read()(1, 1) == 3.f);
  CHECK(b.read()(0, 1) == 5.f);
  CHECK(matrix<float>(a + a).read()(0, 0) == 6.f);
  return was_its_turn;
}

template <class Arm, class Disarm> void try_all_tensors(Arm arm, Disarm disarm) {
  register_gpu_platform(process().gpu);
  int turns = 0;
  for (tensor_scenario const& s : tensor_scenarios) {
    INFO(s.name);
    matrix<float> a{{3.f, 3.f}, {3.f, 3.f}};
    matrix<float> b = copy_to(gpu1, matrix<float>{{5.f, 5.f}, {5.f, 5.f}});
    s.act(a, b);  // allocates what the process keeps
    static_cast<void>(matrix<float>(a + a).read());
    int k = 1;
    while (k != 200 && tensors_fail_whole(s, a, b, k, arm, disarm)) ++k;
    CHECK(k < 200);
    turns += k - 1;
  }
  CHECK(turns > 10);
}

void arm_host(int k) {
  host_memory::left = k;
  host_memory::armed = true;
}
bool disarm_host() {
  host_memory::armed = false;
  return host_memory::left <= 0;
}
/// Counts the platform's calls up to the k-th one.
struct platform_turn {
  int calls = 0;

  void arm(faulty_platform& p, int k) {
    calls = p.calls() + k;
    p.fail(k);
  }
  bool disarm(faulty_platform& p) const {
    p.fail(0);
    return p.calls() >= calls;
  }
};

}  // namespace

TEST_CASE("if any call of the platform fails, a pool is unchanged") {
  platform_turn turn;
  for (scenario const& s : scenarios)
    try_all(
        s, [&](bench& b, int k) { turn.arm(b.gpu, k); },
        [&](bench& b) { return turn.disarm(b.gpu); });
}

TEST_CASE("if any host allocation fails, a pool is unchanged") {
  for (scenario const& s : scenarios)
    try_all(s, [](bench&, int k) { arm_host(k); }, [](bench&) { return disarm_host(); });
}

TEST_CASE("if any call of the platform fails, tensors are unchanged") {
  platform_turn turn;
  try_all_tensors([&](int k) { turn.arm(process().gpu, k); },
                  [&] { return turn.disarm(process().gpu); });
}

TEST_CASE("if any host allocation fails, tensors are unchanged") {
  try_all_tensors(arm_host, disarm_host);
}
