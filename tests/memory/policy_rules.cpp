// What each policy reserves, and when, exact to the byte.
#include <placement/device/simulated.hpp>
#include <placement/memory/pool.hpp>

#include <support/address_only_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

logical_device gpu_of(platform& owner) {
  logical_device d;
  d.id = gpu0;
  d.owner = &owner;
  d.work = owner.open_queue(0);
  return d;
}

std::string error_message(pool& p, std::size_t size) {
  try {
    p.allocate(size);
  } catch (out_of_memory const& e) { return e.what(); }
  return {};
}

/// The same figures after `failures` more failed requests.
memory_stats refused_since(memory_stats s, std::size_t failures = 1) {
  s.failures += failures;
  return s;
}

}  // namespace

TEST_CASE("growth under 64 MiB reserves 2, 4, 32, 64 MiB for 1, 3, 20, 30 MiB") {
  simulated_platform gpus({.count = 1});
  logical_device d = gpu_of(gpus);
  d.memory_limit = 64 * mib;
  pool p(d);
  CHECK(p.stats() == memory_stats{.limit = 64 * mib, .largest_free = 64 * mib});

  std::size_t const requested[] = {1 * mib, 3 * mib, 20 * mib, 30 * mib};
  std::size_t const reserved[] = {2 * mib, 4 * mib, 32 * mib, 64 * mib};
  std::vector<std::byte*> got;
  std::size_t in_use = 0;
  for (std::size_t i = 0; i != 4; ++i) {
    got.push_back(static_cast<std::byte*>(p.allocate(requested[i])));
    in_use += requested[i];
    CHECK(p.stats().reserved == reserved[i]);
    CHECK(p.stats().in_use == in_use);
    CHECK(got[i] == got[0] + in_use - requested[i]);  // one contiguous region
  }
  memory_stats const full = p.stats();
  CHECK(full.in_use == 54 * mib);
  CHECK(full.largest_free == 10 * mib);

  CHECK_THROWS_AS(p.allocate(11 * mib), out_of_memory);
  CHECK(p.stats() == refused_since(full));
  void* const last = p.allocate(10 * mib);
  CHECK(p.stats().in_use == 64 * mib);
  CHECK(p.stats().largest_free == 0);

  p.deallocate(last, 10 * mib);
  for (std::size_t i = 0; i != 4; ++i) p.deallocate(got[i], requested[i]);
  CHECK(p.stats() == memory_stats{.peak = 64 * mib,
                                  .reserved = 64 * mib,
                                  .peak_reserved = 64 * mib,
                                  .limit = 64 * mib,
                                  .largest_free = 64 * mib,
                                  .total_allocations = 5,
                                  .failures = 1,
                                  .largest_allocation = 30 * mib});
}

TEST_CASE("whole leaves 225 MiB below 2 GiB, else 5 % and at least 300 MiB") {
  auto limit = [](std::size_t total) {
    address_only_platform gpu(total);
    logical_device d = gpu_of(gpu);
    d.growth = false;
    return pool(d).stats().limit;
  };
  CHECK(limit(1024 * mib) == 799 * mib);
  CHECK(limit(4096 * mib) == 3796 * mib);
  CHECK(limit(81920 * mib) == 77824 * mib);
  CHECK(limit(2048 * mib) == 1748 * mib);
  CHECK(limit(2048 * mib - 1) == 1823 * mib - 256);
  CHECK(limit(6000 * mib) == 5700 * mib);
  CHECK(limit(225 * mib) == 0);
}

TEST_CASE("whole reserves its limit at first use, and not before") {
  address_only_platform gpu(1024 * mib);
  logical_device d = gpu_of(gpu);
  d.growth = false;
  pool p(d);
  CHECK(p.stats().reserved == 0);
  CHECK_FALSE(gpu.reserved());
  p.allocate(1);
  CHECK(p.stats().reserved == 799 * mib);
  CHECK(p.stats().in_use == 256);
}

TEST_CASE("the error on a GPU with less free memory than whole leaves to others explains that") {
  address_only_platform gpu(200 * mib);
  logical_device d = gpu_of(gpu);
  d.growth = false;
  pool p(d);
  CHECK(
      error_message(p, 100) ==
      "placement: out of memory on /GPU:0 (whole): asked for 100 B; in use 0 B of a limit of 0 B; "
      "the largest free block is 0 B. The policy whole leaves a part of the device to others, and "
      "that is more than is free. Use growth, or set a limit.");
}

TEST_CASE("a fraction refers to the total memory of the GPU, whatever is free") {
  simulated_platform gpus({.count = 1, .memory_bytes = 1000 * mib, .held_bytes = 900 * mib});
  logical_device d = gpu_of(gpus);
  d.fraction = 0.25;
  CHECK(pool(d).stats().limit == 250 * mib);
  d.fraction = 1;
  CHECK(pool(d).stats().limit == 1000 * mib);
}

TEST_CASE("growth without a limit leaves what whole leaves of an empty GPU, a quarter at most") {
  auto limit = [](std::size_t total) {
    address_only_platform gpu(total);
    logical_device const d = gpu_of(gpu);
    return pool(d).stats().limit;
  };
  CHECK(limit(1024 * mib) == 799 * mib);
  CHECK(limit(4096 * mib) == 3796 * mib);
  CHECK(limit(81920 * mib) == 77824 * mib);
  CHECK(limit(900 * mib) == 675 * mib);
  CHECK(limit(64 * mib) == 48 * mib);
}

TEST_CASE("growth is limited by the free memory at each growth, not by that at first use") {
  simulated_platform gpus({.count = 1, .memory_bytes = 1024 * mib});
  logical_device const d = gpu_of(gpus);
  void* const of_others = gpus.reserve(0, 1000 * mib);
  gpus.commit(0, of_others, 0, 1000 * mib);
  pool p(d);
  CHECK(p.stats().limit == 799 * mib);
  CHECK(p.stats().largest_free == 24 * mib);
  void* const a = p.allocate(20 * mib);  // a step would be 32 MiB
  CHECK(p.stats().reserved == 20 * mib);
  CHECK(p.stats().largest_free == 4 * mib);
  CHECK_THROWS_AS(p.allocate(5 * mib), out_of_memory);
  gpus.release(0, of_others, 1000 * mib);  // the other process ends
  CHECK(p.stats().largest_free == 779 * mib);
  void* const b = p.allocate(779 * mib);
  CHECK(p.stats().reserved == 799 * mib);
  CHECK_THROWS_AS(p.allocate(1), out_of_memory);
  p.deallocate(a, 20 * mib);
  p.deallocate(b, 779 * mib);
}

TEST_CASE("the error on a GPU that others fill gives the sizes, the call sites and the remedies") {
  simulated_platform gpus(
      {.count = 1, .memory_bytes = 1024 * mib, .held_bytes = 1020 * mib + 4096});
  logical_device const d = gpu_of(gpus);
  pool p(d);
  p.allocate(3 * mib, {"MatMul", "train.cpp", 40});
  CHECK(error_message(p, 2 * mib) ==
        "placement: out of memory on /GPU:0 (growth): asked for 2097152 B; in use 3145728 B of a "
        "limit of 837812224 B; the largest free block is 1044480 B. The GPU has 1073741824 B, of "
        "which 1044480 B are free, 3145728 B are reserved here and 1069551616 B are held by "
        "others: other processes, or other logical devices and libraries of this one. The device "
        "said: Out of memory on simulated GPU 0: asked for 2097152 bytes; 1044480 of 1073741824 "
        "are free. Most is held by MatMul at train.cpp:40 (3145728 B in 1 block). Free tensors, "
        "call trim() for what other logical devices keep unused, or use smaller batches.");
}

TEST_CASE("a limit is rounded down to 256 bytes, never up") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 1023;
  pool p(d);
  CHECK(p.stats().limit == 768);
  p.allocate(768);
  CHECK_THROWS_AS(p.allocate(1), out_of_memory);
}

TEST_CASE("growth uses the configured steps") {
  address_only_platform gpu(1024 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 100 * mib;
  d.steps = {.start_bytes = mib, .factor = 3};
  pool p(d);
  p.allocate(1);
  CHECK(p.stats().reserved == mib);
  p.allocate(mib);
  CHECK(p.stats().reserved == 3 * mib);
  p.allocate(25 * mib);
  CHECK(p.stats().reserved == 27 * mib);
  p.allocate(2 * mib);
  CHECK(p.stats().reserved == 81 * mib);
  p.allocate(60 * mib);
  CHECK(p.stats().reserved == 100 * mib);
}

TEST_CASE(
    "growth commits only what the request needs if the device has no memory for a whole step") {
  address_only_platform gpu(64 * mib);
  logical_device const d = gpu_of(gpu);
  gpu.capacity = 40 * mib;
  pool p(d);
  p.allocate(32 * mib);
  CHECK(p.stats().reserved == 32 * mib);
  p.allocate(6 * mib);  // a step would be 64 MiB
  CHECK(p.stats().reserved == 38 * mib);
  CHECK_THROWS_AS(p.allocate(6 * mib), out_of_memory);
  p.allocate(2 * mib);
  CHECK(p.stats().reserved == 40 * mib);
}

TEST_CASE("an allocation of zero bytes takes no memory and never fails") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 2 * mib;
  pool p(d);
  memory_stats const unused = p.stats();
  CHECK(p.allocate(0) == nullptr);
  CHECK(p.stats() == unused);
  CHECK_FALSE(gpu.reserved());
  p.allocate(2 * mib);
  memory_stats const full = p.stats();
  CHECK(p.allocate(0) == nullptr);
  p.deallocate(nullptr, 0);
  CHECK(p.stats() == full);
}

TEST_CASE("impossible sizes are out_of_memory") {
  address_only_platform gpu(64 * mib);
  logical_device const d = gpu_of(gpu);
  pool p(d);
  for (std::size_t size : {~std::size_t{0}, ~std::size_t{0} - 255, std::size_t{1} << 63})
    CHECK_THROWS_AS(p.allocate(size), out_of_memory);
  CHECK(p.stats().failures == 3);
  CHECK(p.stats().allocations == 0);
}

TEST_CASE("memory of a simulated GPU is first touched when a block of it is used") {
  constexpr std::size_t page = 4096;
  auto resident = [](std::byte const* from, std::size_t bytes) {
    std::vector<unsigned char> pages(bytes / page);
    REQUIRE(::mincore(const_cast<std::byte*>(from), bytes, pages.data()) == 0);
    std::size_t count = 0;
    for (unsigned char p : pages) count += p & 1u;
    return count * page;
  };
  simulated_platform gpus({.count = 1, .memory_bytes = 2048 * mib});
  logical_device d = gpu_of(gpus);
  d.growth = false;
  pool p(d);
  auto* const a = static_cast<std::byte*>(p.allocate(mib));
  CHECK(p.stats().reserved == 1748 * mib);
  CHECK(resident(a, 64 * mib) <= 4 * mib);  // huge pages are touched as a whole
  auto is_poison = [](std::byte const* from, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; ++i)
      if (from[i] != std::byte{0xFF}) return false;
    return true;
  };
  CHECK(is_poison(a, mib));
  std::memset(a, 0, mib);
  auto* const b = static_cast<std::byte*>(p.allocate(3 * mib));
  CHECK(is_poison(b, 3 * mib));
  CHECK(a[mib - 1] == std::byte{0});
  std::memset(b, 0, 3 * mib);
  p.deallocate(b, 3 * mib);
  CHECK(is_poison(b, 3 * mib));
  p.trim();
  auto* const c = static_cast<std::byte*>(p.allocate(5 * mib));
  CHECK(c == b);
  CHECK(is_poison(c, 5 * mib));
  p.deallocate(c, 5 * mib);
  p.deallocate(a, mib);
}

TEST_CASE("memory between blocks that was trimmed is poisoned again") {
  simulated_platform gpus({.count = 1});
  logical_device d = gpu_of(gpus);
  pool p(d);
  auto* const a = static_cast<std::byte*>(p.allocate(8 * mib));
  void* const b = p.allocate(mib);
  std::memset(a, 0, 8 * mib);
  p.deallocate(a, 8 * mib);
  CHECK(p.trim() != 0);
  auto* const again = static_cast<std::byte*>(p.allocate(8 * mib));
  REQUIRE(again == a);
  std::size_t poisoned = 0;
  for (std::size_t i = 0; i != 8 * mib; ++i) poisoned += again[i] == std::byte{0xFF};
  CHECK(poisoned == 8 * mib);
  p.deallocate(again, 8 * mib);
  p.deallocate(b, mib);
}

TEST_CASE(
    "trim releases whole unused chunks, between blocks too, and they are recommitted on need") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.growth = false;
  d.memory_limit = 64 * mib;
  pool p(d);
  void* const a = p.allocate(5 * mib);
  void* const b = p.allocate(20 * mib);
  void* const c = p.allocate(7 * mib);
  CHECK(p.stats().reserved == 64 * mib);
  CHECK(p.trim() == 32 * mib);
  CHECK(p.stats().reserved == 32 * mib);
  p.deallocate(b, 20 * mib);
  CHECK(p.trim() == 18 * mib);  // chunks of 2 MiB from 6 to 24
  CHECK(p.stats().reserved == 14 * mib);
  CHECK(p.trim() == 0);
  CHECK(p.stats().largest_free == 32 * mib);

  CHECK(p.allocate(19 * mib) == b);
  CHECK(p.stats().reserved == 32 * mib);
  CHECK(gpu.is_backed(b, 19 * mib));
  CHECK(gpu.is_backed(a, 5 * mib));
  p.deallocate(b, 19 * mib);
  p.deallocate(c, 7 * mib);
  CHECK(p.trim() == 26 * mib);
  CHECK(p.stats().reserved == 6 * mib);
  p.deallocate(a, 5 * mib);
  CHECK(p.trim() == 6 * mib);
  CHECK(p.stats().reserved == 0);
  CHECK(p.check_invariants());
}

TEST_CASE("if a trimmed gap cannot be recommitted, nothing changes") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 64 * mib;
  pool p(d);
  void* const a = p.allocate(16 * mib);
  p.allocate(16 * mib);
  p.deallocate(a, 16 * mib);
  CHECK(p.trim() == 16 * mib);
  gpu.capacity = 20 * mib;
  memory_stats const before = p.stats();
  CHECK_THROWS_AS(p.allocate(16 * mib), out_of_memory);
  CHECK(p.stats() == refused_since(before));
  CHECK(gpu.backed() == 16 * mib);
  CHECK(p.allocate(4 * mib) == a);
  CHECK(p.stats().reserved == 20 * mib);
}

TEST_CASE("if the trimmed part of a growing gap cannot be recommitted, nothing changes") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 64 * mib;
  pool p(d);
  void* const a = p.allocate(6 * mib);
  void* const b = p.allocate(6 * mib);
  p.deallocate(a, 6 * mib);
  p.trim();
  p.deallocate(b, 6 * mib);
  CHECK(p.stats().reserved == 6 * mib);  // the last 6 of 12 MiB
  gpu.capacity = 8 * mib;                // enough for the extension alone
  memory_stats const before = p.stats();
  CHECK_THROWS_AS(p.allocate(14 * mib), out_of_memory);
  CHECK(p.stats() == refused_since(before));
  CHECK(gpu.backed() == 6 * mib);
  CHECK(p.check_invariants());

  gpu.capacity = 64 * mib;
  CHECK(p.allocate(14 * mib) == a);
  CHECK(gpu.is_backed(a, 14 * mib));
}

TEST_CASE("a gap that grows over trimmed memory commits only what it needs if memory is short") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 64 * mib;
  pool p(d);
  void* const a = p.allocate(6 * mib);
  void* const b = p.allocate(6 * mib);
  p.deallocate(a, 6 * mib);
  p.trim();
  p.deallocate(b, 6 * mib);
  gpu.capacity = 14 * mib;  // a step to 16 MiB leaves too little for the uncommitted part before it
  CHECK(p.allocate(14 * mib) == a);
  CHECK(p.stats().reserved == 14 * mib);
  CHECK(gpu.is_backed(a, 14 * mib));
  CHECK(p.check_invariants());
}

TEST_CASE("whole commits its limit or nothing at first use, and after a trim what it needs") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.growth = false;
  d.memory_limit = 64 * mib;
  pool p(d);
  gpu.capacity = 63 * mib;
  CHECK_THROWS_AS(p.allocate(mib), out_of_memory);
  CHECK(gpu.backed() == 0);
  gpu.capacity = 64 * mib;
  void* const a = p.allocate(4 * mib);
  void* const b = p.allocate(4 * mib);
  p.deallocate(b, 4 * mib);
  CHECK(p.trim() == 60 * mib);
  gpu.capacity = 20 * mib;
  CHECK(p.allocate(16 * mib) == b);
  CHECK(p.stats().reserved == 20 * mib);
  CHECK(gpu.is_backed(a, 20 * mib));
}

TEST_CASE("if a trimmed gap cannot be recommitted, a committed one is used") {
  address_only_platform gpu(64 * mib);
  logical_device d = gpu_of(gpu);
  d.memory_limit = 64 * mib;
  pool p(d);
  std::vector<void*> parts;
  for (int i = 0; i != 6; ++i) parts.push_back(p.allocate(4 * mib));
  p.deallocate(parts[0], 4 * mib);
  p.trim();
  p.deallocate(parts[2], 4 * mib);
  p.deallocate(parts[4], 4 * mib);
  gpu.capacity = p.stats().reserved;  // other processes took the released memory
  CHECK(p.allocate(4 * mib) != parts[0]);
  CHECK(p.allocate(3 * mib) != parts[0]);
  CHECK(p.stats().reserved == gpu.capacity);
  memory_stats const before = p.stats();
  CHECK_THROWS_AS(p.allocate(4 * mib), out_of_memory);
  CHECK(p.stats() == refused_since(before));
  gpu.capacity += 4 * mib;
  CHECK(p.allocate(4 * mib) == parts[0]);
  CHECK(p.check_invariants());
}

TEST_CASE("undoing a step that ends inside a page leaves that page unchanged") {
  constexpr std::size_t page = 4096;
  simulated_platform gpus({.count = 1, .memory_bytes = 14 * mib + 2 * page});
  logical_device d = gpu_of(gpus);
  d.memory_limit = 14 * mib;
  d.steps = {.start_bytes = 6 * mib + 256, .factor = 2};
  pool p(d);
  void* const a = p.allocate(4 * mib);
  void* const b = p.allocate(2 * mib);
  p.deallocate(a, 4 * mib);
  CHECK(p.trim() == 4 * mib + 256);
  void* const c = p.allocate(5 * mib);
  CHECK(p.stats().reserved == 8 * mib + 512);
  p.deallocate(b, 2 * mib);
  p.deallocate(c, 5 * mib);
  void* const of_others = gpus.reserve(0, 4 * mib);
  gpus.commit(0, of_others, 0, 4 * mib);
  std::size_t const free = gpus.memory(0).free;
  CHECK_THROWS_AS(p.allocate(13 * mib), out_of_memory);
  CHECK(gpus.memory(0).free == free);
  CHECK(p.stats().reserved == 8 * mib + 512);
  gpus.release(0, of_others, 4 * mib);
  void* const all = p.allocate(12 * mib + 512);
  REQUIRE(all == a);
  std::memset(all, 1, 12 * mib + 512);
  p.deallocate(all, 12 * mib + 512);
}

TEST_CASE(
    "close releases all memory after the last block is freed, and later requests still work") {
  address_only_platform gpu(64 * mib);
  logical_device const d = gpu_of(gpu);
  pool p(d);
  void* const a = p.allocate(mib);
  p.close();
  CHECK(gpu.backed() == 2 * mib);
  p.deallocate(a, mib);
  CHECK(gpu.backed() == 0);
  CHECK_FALSE(gpu.reserved());
  void* const late = p.allocate(3 * mib);
  CHECK(p.stats().reserved == 4 * mib);
  p.deallocate(late, 3 * mib);
  CHECK_FALSE(gpu.reserved());
}

TEST_CASE("an unused pool reserves nothing and can be closed") {
  address_only_platform gpu(64 * mib);
  logical_device const d = gpu_of(gpu);
  pool p(d);
  p.close();
  CHECK_FALSE(gpu.reserved());
  CHECK(p.trim() == 0);
}

TEST_CASE("the CPU's pool keeps no more memory free than is in use, or 256 MiB") {
  address_only_platform host(8192 * mib);
  logical_device d;
  d.id = cpu0;
  d.owner = &host;
  pool p(d);
  p.deallocate(p.allocate(200 * mib), 200 * mib);
  CHECK(p.stats().reserved == 256 * mib);  // up to 256 MiB are kept
  p.deallocate(p.allocate(500 * mib), 500 * mib);
  CHECK(p.stats().reserved == 0);
  void* const a = p.allocate(2000 * mib);
  void* const b = p.allocate(1000 * mib);
  p.deallocate(b, 1000 * mib);
  CHECK(p.stats().reserved == 2000 * mib);  // more than half of 4096 MiB was unused
  void* const c = p.allocate(1000 * mib);
  p.deallocate(c, 1000 * mib);
  p.deallocate(a, 2000 * mib);
  CHECK(p.stats().reserved == 0);
  CHECK(p.check_invariants());
}

TEST_CASE("a GPU's pool keeps all memory") {
  address_only_platform gpu(8192 * mib);
  logical_device const d = gpu_of(gpu);
  pool p(d);
  p.deallocate(p.allocate(2048 * mib), 2048 * mib);
  CHECK(p.stats().reserved == 2048 * mib);
}
