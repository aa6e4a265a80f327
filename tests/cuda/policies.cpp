// gpus: 0
// The memory policies over CUDA virtual memory, as tests/process/memory_policies.cpp checks them on
// simulated GPUs. The driver's figures must match to the byte.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/cuda/context.cuh>
#include <placement/interop/graph.hpp>
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

using row = tensor<float, dextents<1>>;

constexpr std::size_t mib = std::size_t{1} << 20;

/// Bytes that are reserved after the first block.
std::size_t first_step(device d) {
  pool_of(d).allocate(1);
  return memory_stats_of(d).reserved;
}
row of_mib(index_t n) { return copy_to(gpu0, row(zeros<float>(n << 18))); }

}  // namespace

TEST_CASE(
    "without a policy memory grows from 2 MiB to the total less a reserve, whatever is free") {
  fake_cuda& driver = use_fake_gpus();
  driver.gpus[1].held = 24 * mib;
  CHECK(first_step(gpu0) == 2 * mib);
  CHECK(driver.used[0] == 2 * mib);
  CHECK(memory_stats_of(gpu0).limit == 799 * mib);
  CHECK(memory_stats_of(gpu1).limit == 799 * mib);
}

TEST_CASE("tensors of 1, 3, 20, 30 MiB under 64 reserve 2, 4, 32, 64, and 10 more fit but not 11") {
  fake_cuda& driver = use_fake_gpus();
  runtime const rt{memory::growth{} | memory::limit{64_MiB}};
  auto const a = of_mib(1);
  CHECK(driver.used[0] == 2 * mib);
  auto const b = of_mib(3);
  CHECK(driver.used[0] == 4 * mib);
  auto const c = of_mib(20);
  CHECK(driver.used[0] == 32 * mib);
  auto const d = of_mib(30);
  CHECK(driver.used[0] == 64 * mib);
  memory_stats const full = memory_stats_of(gpu0);
  CHECK(full.in_use == 54 * mib);
  CHECK_THROWS_AS(of_mib(11), out_of_memory);
  memory_stats after = memory_stats_of(gpu0);
  CHECK(after.failures == full.failures + 1);
  after.failures = full.failures;
  CHECK(after == full);
  CHECK(driver.used[0] == 64 * mib);
  auto const e = of_mib(10);
  CHECK(memory_stats_of(gpu0).in_use == 64 * mib);
  CHECK(driver.ranges == 1);
  CHECK(driver.misuse.empty());
}

TEST_CASE(
    "each GPU can have its own policy: growth in other steps, a fraction, whole and a limit") {
  fake_cuda& driver = use_fake_gpus(3);
  runtime const rt{
      memory::on_gpu<0>(memory::growth{.start = 4_MiB, .factor = 4} | memory::fraction<0.5>{}),
      memory::on_gpu<1>(memory::whole{}), memory::on_gpu<2>(memory::limit{10_MiB})};
  CHECK(first_step(gpu0) == 4 * mib);
  CHECK(memory_stats_of(gpu0).limit == 512 * mib);
  pool_of(gpu0).allocate(5 * mib);
  CHECK(driver.used[0] == 16 * mib);
  CHECK(first_step(gpu1) == 799 * mib);
  CHECK(driver.used[1] == 800 * mib);  // pages of 2 MiB
  CHECK(memory_stats_of(gpu2).limit == 10 * mib);
  pool_of(gpu2).allocate(10 * mib);
  CHECK(error_message([] {
          pool_of(gpu2).allocate(1);
        }).starts_with("placement: out of memory on /GPU:2 (growth | limit): asked for 1 B"));
}

TEST_CASE("virtual devices of one GPU have separate ranges and limits, and share its memory") {
  fake_cuda& driver = use_fake_gpus(1);
  driver.gpus[0].total = 64 * mib;
  runtime const rt{memory::growth{} | memory::virtual_devices<40_MiB, 24_MiB>{}};
  REQUIRE(this_machine().gpus == 2);
  pool_of(gpu0).allocate(40 * mib);
  pool_of(gpu1).allocate(24 * mib);
  CHECK(driver.used[0] == 64 * mib);
  CHECK(driver.ranges == 2);
  CHECK(driver.contexts == 1);
  CHECK_THROWS_AS(pool_of(gpu0).allocate(1), out_of_memory);
}

TEST_CASE(
    "memory held by another program gives the device's error, and a smaller step still fits") {
  fake_cuda& driver = use_fake_gpus(1);
  runtime const rt{memory::growth{} | memory::limit{512_MiB}};
  CHECK(first_step(gpu0) == 2 * mib);
  driver.gpus[0].held = (1024 - 20) * mib;
  pool_of(gpu0).allocate(14 * mib);  // the next step would be 16 MiB
  pool_of(gpu0).allocate(3 * mib);   // 32 MiB: takes what is needed
  CHECK(driver.used[0] <= 20 * mib);
  std::string const why = error_message<out_of_memory>([] { pool_of(gpu0).allocate(8 * mib); });
  CHECK(
      why.find("The device said: cuMemCreate on device 0 (NVIDIA Fake H100, 0000:0a:00.0) failed: "
               "CUDA_ERROR_OUT_OF_MEMORY (2, out of memory). ") != std::string::npos);
  CHECK(driver.misuse.empty());
}

TEST_CASE(
    "trim releases unused chunks to the driver, also between blocks, and growth recommits them") {
  fake_cuda& driver = use_fake_gpus(1);
  std::vector<row> all;
  for (int i = 0; i != 8; ++i) all.push_back(of_mib(4));
  CHECK(driver.used[0] == 32 * mib);
  all.erase(all.begin() + 2, all.begin() + 5);
  all.pop_back();
  CHECK(trim(gpu0) == 16 * mib);
  CHECK(driver.used[0] == 16 * mib);
  for (row const& r : all) CHECK(r.read()[123456] == 0);
  auto const again = of_mib(12);
  CHECK(driver.used[0] == 28 * mib);
  CHECK(again.read()[3 << 20 >> 2] == 0);
  CHECK(pool_of(gpu0).check_invariants());
  all.clear();
  CHECK(driver.misuse.empty());
}

TEST_CASE("memory of a tensor is reused only after the work on it") {
  fake_cuda& driver = use_fake_gpus();
  for (index_t i = 0; i != 20; ++i) {
    row const x = copy_to(gpu0, row(iota<float>(1 << 16, static_cast<float>(i))));
    row const y = copy_to(gpu1, x);
    CHECK(y.read()[5] == static_cast<float>(i + 5));
  }
  CHECK(driver.direct_copies == 20);
  CHECK(driver.misuse.empty());
}

TEST_CASE("the driver's figures and the pool's agree in a random program, and nothing leaks") {
  fake_cuda& driver = use_fake_gpus(1);
  runtime const rt{memory::growth{} | memory::limit{100_MiB}};
  std::mt19937 random(7);
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (int i = 0; i != 4000; ++i) {
    if (random() % 20 == 0) driver.fail("cuMemCreate", 1, CUDA_ERROR_OUT_OF_MEMORY);
    if (random() % 50 == 0) trim(gpu0);
    if (blocks.empty() || random() % 2 == 0) {
      std::size_t const size = 1 + random() % (6 * mib);
      try {
        blocks.emplace_back(pool_of(gpu0).allocate(size), size);
      } catch (out_of_memory const&) {}
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      pool_of(gpu0).deallocate(blocks.back().first, blocks.back().second);
      blocks.pop_back();
    }
    std::size_t const reserved = memory_stats_of(gpu0).reserved;
    REQUIRE(driver.used[0] >= reserved);
    REQUIRE(driver.used[0] < reserved + 2 * mib);
  }
  CHECK(pool_of(gpu0).check_invariants());
  for (auto [p, size] : blocks) pool_of(gpu0).deallocate(p, size);
  trim(gpu0);
  CHECK(driver.used[0] == 0);
  CHECK(driver.misuse.empty());
}

TEST_CASE("if any driver call fails, a copied tensor is unchanged, and the next copy works") {
  fake_cuda& driver = use_fake_gpus();
  row const x = row(iota<float>(1 << 20, 0.f));
  for (char const* function :
       {"cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemAddressReserve", "cuStreamCreate",
        "cuMemcpyHtoDAsync_v2", "cuEventRecord", "cuStreamSynchronize", "cuMemcpyPeerAsync"})
    for (int k = 1; k != 5; ++k) {
      int const fault_at = driver.calls[function] + k;
      driver.fail(function, k, CUDA_ERROR_OUT_OF_MEMORY);
      std::size_t const in_use = memory_stats_of(gpu0).in_use, at_1 = memory_stats_of(gpu1).in_use;
      float read = 77;
      bool failed = false;
      try {
        row const y = copy_to(gpu0, x), z = copy_to(gpu1, y);
        read = z.read()[77];
      } catch (placement::error const&) { failed = true; }
      CHECK(read == 77);
      CHECK(memory_stats_of(gpu0).in_use == in_use);
      CHECK(memory_stats_of(gpu1).in_use == at_1);
      if (failed) CHECK(driver.calls[function] >= fault_at);
      driver.faults.clear();
      CHECK(to_string(copy_to(gpu0, row(iota<float>(3, 0.f)))) == "[0 1 2]");
      trim();
    }
  CHECK(driver.misuse.empty());
}

TEST_CASE("stream_ordered allocates each block from the driver's allocator, within the limit") {
  fake_cuda& driver = use_fake_gpus();
  runtime const rt{memory::stream_ordered{} | memory::limit{4_MiB}};
  {
    row const x = of_mib(1);
    CHECK(driver.async == 1);
    CHECK(driver.used[0] == mib);
    CHECK(driver.calls["cuMemCreate"] == 0);
    row const y = on(cpu0, x + 1.f);
    CHECK(y.read()[1000] == 1);
    row const there = copy_to(gpu1, x);  // read by another queue, and freed behind it
    CHECK(there.read()[1000] == 0);
    CHECK(memory_stats_of(gpu0).in_use == mib);
    CHECK(memory_stats_of(gpu0).limit == 4 * mib);
    std::string said;
    try {
      of_mib(4);
    } catch (out_of_memory const& e) { said = e.what(); }
    CHECK(said.starts_with("placement: out of memory on /GPU:0 (stream_ordered | limit)"));
    CHECK(memory_stats_of(gpu0).in_use == mib);
  }
  CHECK(driver.async == 0);
  CHECK(memory_stats_of(gpu0).allocations == 0);
  CHECK(driver.misuse.empty());
  driver.fail("cuMemAllocAsync", 1, CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_THROWS_AS(of_mib(1), out_of_memory);
  row const again = of_mib(1);
  CHECK(memory_stats_of(gpu0).in_use == mib);
  trim(gpu0);
  CHECK(driver.calls["cuMemPoolTrimTo"] == 1);
}

TEST_CASE("stream_ordered keeps freed memory in the driver's pool, which is told so once per GPU") {
  fake_cuda& driver = use_fake_gpus();
  runtime const rt{memory::stream_ordered{}};
  CHECK(driver.calls["cuMemPoolSetAttribute"] == 0);
  for (int i = 0; i != 3; ++i) of_mib(1);
  CHECK(driver.calls["cuMemPoolSetAttribute"] == 1);
  CHECK(driver.release_threshold[0] == ~std::uint64_t{0});
  CHECK(driver.release_threshold[1] == 0);
  for (int i = 0; i != 3; ++i) copy_to(gpu1, row(zeros<float>(8)));
  CHECK(driver.calls["cuMemPoolSetAttribute"] == 2);
  CHECK(driver.release_threshold[1] == ~std::uint64_t{0});
  CHECK(driver.misuse.empty());
}

TEST_CASE("stream_ordered works if the pool cannot be told to keep freed memory") {
  fake_cuda& driver = use_fake_gpus();
  runtime const rt{memory::stream_ordered{}};
  driver.fail("cuMemPoolSetAttribute", 1, CUDA_ERROR_NOT_SUPPORTED);
  row const x = of_mib(1), y = of_mib(1);
  CHECK(y.read()[1000] == 0);
  CHECK(driver.calls["cuMemPoolSetAttribute"] == 1);
}

TEST_CASE("under stream_ordered no allocation is recorded, and a recording replays repeatedly") {
  fake_cuda& driver = use_fake_gpus();
  runtime const rt{memory::stream_ordered{}};
  row const x = copy_to(gpu0, row(iota<float>(1000, 0.f))), y = of_mib(1);
  auto const at = [](row const& r) { return endpoint{const_cast<float*>(r.data()), 0}; };
  {
    graph twice = capture(gpu0, [&] {
      logical_device const& on = logical(gpu0);
      for (int i = 0; i != 2; ++i) {
        cuda::scratch const temporary(on, 4000);
        endpoint const there{temporary.data(), 0};
        on.owner->copy(on.work, there, at(x), 4000);
        on.owner->copy(on.work, at(y), there, 4000);
      }
    });
    CHECK(driver.async == 4);
    for (int i = 0; i != 3; ++i) twice.replay();
    CHECK(y.read()[999] == 999);
    CHECK(driver.async == 4);
  }
  CHECK(driver.async == 2);
  CHECK(driver.graphs == 0);
  CHECK(driver.misuse.empty());
}
