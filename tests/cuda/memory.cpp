// gpus: 0
// GPU memory: addresses are reserved once and committed page by page. Also the failures of the
// driver.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// The CUDA platform alone, with two GPUs.
struct platform_test {
  cuda::driver api;
  cuda::cuda_platform gpus{api};
  fake_cuda& driver = fake();

  std::size_t used(std::size_t gpu = 0) const { return driver.used[gpu]; }
};

}  // namespace

TEST_CASE("reserve takes addresses without memory, and creates the context") {
  platform_test t;
  REQUIRE(t.gpus.count() == 2);
  CHECK(t.driver.contexts == 0);
  void* const base = t.gpus.reserve(0, 100 * mib + 256);
  CHECK(base != nullptr);
  CHECK(t.driver.ranges == 1);
  CHECK(t.driver.contexts == 1);
  CHECK(t.used() == 0);
  t.gpus.release(0, base, 100 * mib + 256);
  CHECK(t.driver.open() == 0);
}

TEST_CASE("memory is committed in pages of 2 MiB, and both ends are rounded up") {
  platform_test t;
  void* const base = t.gpus.reserve(0, 64 * mib);
  t.gpus.commit(0, base, 0, 256);
  CHECK(t.used() == 2 * mib);
  t.gpus.commit(0, base, 256, 2 * mib);
  CHECK(t.used() == 4 * mib);
  t.gpus.commit(0, base, 2 * mib + 256, 60 * mib);
  CHECK(t.used() == 64 * mib);
  std::memset(base, 1, 64 * mib);
  t.gpus.decommit(0, base, 8 * mib, 4 * mib);
  CHECK(t.used() == 60 * mib);
  t.gpus.commit(0, base, 8 * mib, 4 * mib);
  CHECK(t.used() == 64 * mib);
  t.gpus.decommit(0, base, 256, 64 * mib - 256);
  CHECK(t.used() == 2 * mib);
  t.gpus.release(0, base, 64 * mib);
  CHECK(t.used() == 0);
  CHECK(t.driver.open() == 0);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("a large commit takes pieces of 32 MiB, whose memory is freed with the last page") {
  platform_test t;
  void* const base = t.gpus.reserve(0, 256 * mib);
  t.gpus.commit(0, base, 0, 2 * mib);
  t.driver.calls.clear();
  t.gpus.commit(0, base, 2 * mib, 126 * mib);  // 2 pieces, then 31 pages
  CHECK(t.driver.calls["cuMemCreate"] == 33);
  CHECK(t.driver.calls["cuMemSetAccess"] == 1);
  CHECK(t.used() == 128 * mib);
  std::memset(base, 1, 128 * mib);

  t.gpus.decommit(0, base, 10 * mib, 4 * mib);  // within the first piece
  CHECK(t.used() == 128 * mib);
  t.driver.calls.clear();
  t.gpus.commit(0, base, 10 * mib, 2 * mib);  // the same memory
  CHECK(t.driver.calls["cuMemCreate"] == 0);
  t.gpus.decommit(0, base, 2 * mib, 10 * mib);
  CHECK(t.used() == 128 * mib);
  t.gpus.decommit(0, base, 14 * mib, 20 * mib);
  CHECK(t.used() == 96 * mib);

  t.driver.fail("cuMemCreate", 2, CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_THROWS_AS(t.gpus.commit(0, base, 128 * mib, 128 * mib), out_of_memory);
  CHECK(t.used() == 96 * mib);
  t.gpus.commit(0, base, 128 * mib, 128 * mib);
  CHECK(t.used() == 224 * mib);
  t.gpus.release(0, base, 256 * mib);
  CHECK(t.driver.open() == 0);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("address ranges of one GPU are distinct") {
  platform_test t;
  void* const first = t.gpus.reserve(0, 8 * mib);
  void* const second = t.gpus.reserve(0, 8 * mib);
  void* const third = t.gpus.reserve(0, 0);
  CHECK(first != second);
  t.gpus.commit(0, second, 0, 4 * mib);
  t.gpus.release(0, first, 8 * mib);
  CHECK(t.used() == 4 * mib);
  t.gpus.commit(0, second, 4 * mib, 4 * mib);
  t.gpus.release(0, second, 8 * mib);
  t.gpus.release(0, third, 0);
  CHECK(t.driver.open() == 0);
}

TEST_CASE("free memory is what the driver reports, and the total if the query fails") {
  platform_test t;
  t.driver.gpus[0].held = 100 * mib;
  void* const base = t.gpus.reserve(0, 8 * mib);
  t.gpus.commit(0, base, 0, 8 * mib);
  CHECK(t.gpus.memory(0).free == (1024 - 108) * mib);
  CHECK(t.gpus.memory(0).total == 1024 * mib);
  t.driver.fail("cuMemGetInfo_v2");
  long const before = cuda::swallowed_errors();
  CHECK(t.gpus.memory(0).free == 1024 * mib);
  CHECK(cuda::swallowed_errors() == before + 1);
  t.gpus.release(0, base, 8 * mib);
}

TEST_CASE("a commit on a full GPU throws the driver's error and changes nothing") {
  platform_test t;
  t.driver.gpus[0].total = 16 * mib;
  void* const base = t.gpus.reserve(0, 64 * mib);
  t.gpus.commit(0, base, 0, 12 * mib);
  CHECK(error_message<out_of_memory>([&] { t.gpus.commit(0, base, 12 * mib, 8 * mib); }) ==
        "cuMemCreate on device 0 (NVIDIA Fake H100, 0000:0a:00.0) failed: CUDA_ERROR_OUT_OF_MEMORY "
        "(2, out of memory)");
  CHECK(t.used() == 12 * mib);
  t.gpus.commit(0, base, 12 * mib, 4 * mib);
  t.gpus.release(0, base, 64 * mib);
  CHECK(t.driver.open() == 0);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("a commit changes nothing if any of its driver calls fails, and the next one works") {
  for (CUresult code : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN})
    for (char const* function : {"cuMemCreate", "cuMemMap", "cuMemSetAccess"})
      for (int k : {1, 2, 3}) {
        if (k > 1 && std::string(function) == "cuMemSetAccess") continue;  // one call for all pages
        platform_test t;
        void* const base = t.gpus.reserve(0, 16 * mib);
        t.gpus.commit(0, base, 0, 2 * mib);
        t.driver.fail(function, k, code);
        if (code == CUDA_ERROR_OUT_OF_MEMORY)
          CHECK_THROWS_AS(t.gpus.commit(0, base, 2 * mib, 6 * mib), out_of_memory);
        else
          CHECK(
              error_message<placement_error>([&] { t.gpus.commit(0, base, 2 * mib, 6 * mib); }) ==
              "placement: " + std::string(function) +
                  " on device 0 (NVIDIA Fake H100, 0000:0a:00.0) failed: CUDA_ERROR_UNKNOWN (999, "
                  "unknown error). Look with nvidia-smi whether the GPU is well.");
        CHECK(t.used() == 2 * mib);
        t.gpus.commit(0, base, 2 * mib, 6 * mib);
        CHECK(t.used() == 8 * mib);
        t.gpus.release(0, base, 16 * mib);
        CHECK(t.used() == 0);
        CHECK(t.driver.misuse.empty());
      }
}

TEST_CASE("a failed address reservation is an error, and the next one works") {
  platform_test t;
  t.driver.fail("cuMemAddressReserve", 1, CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_THROWS_AS(t.gpus.reserve(0, 8 * mib), out_of_memory);
  t.driver.fail("cuMemGetAllocationGranularity");
  platform_test other;
  CHECK_THROWS_AS(other.gpus.reserve(0, 8 * mib), placement_error);
  void* const base = t.gpus.reserve(0, 8 * mib);
  t.gpus.release(0, base, 8 * mib);
  CHECK(t.driver.open() == 0);
}

TEST_CASE("a page size that does not divide 2 MiB is an error") {
  platform_test t;
  t.driver.gpus[0].page = 4 * mib;
  CHECK(
      error_message<placement_error>([&] { t.gpus.reserve(0, 8 * mib); }) ==
      "placement: the memory of device 0 (NVIDIA Fake H100, 0000:0a:00.0) comes in pages of 4194304 "
      "bytes, which do not divide 2097152. Use another GPU, or the CPU.");
}

TEST_CASE("errors while memory is released are swallowed and counted") {
  platform_test t;
  void* const base = t.gpus.reserve(0, 8 * mib);
  t.gpus.commit(0, base, 0, 8 * mib);
  long const before = cuda::swallowed_errors();
  t.driver.fail("cuMemUnmap", 1);
  t.driver.fail("cuMemAddressFree", 1);
  t.gpus.decommit(0, base, 0, 2 * mib);
  t.gpus.release(0, base, 8 * mib);
  CHECK(cuda::swallowed_errors() >= before + 2);
}

TEST_CASE("memory with smaller pages is committed in steps of 2 MiB too") {
  platform_test t;
  t.driver.gpus[0].page = std::size_t{64} << 10;
  void* const base = t.gpus.reserve(0, 8 * mib);
  t.gpus.commit(0, base, 0, 256);
  CHECK(t.used() == 2 * mib);
  t.gpus.release(0, base, 8 * mib);
  CHECK(t.driver.open() == 0);
}

TEST_CASE("network cards may access memory of a GPU whose driver supports that, and of no other") {
  platform_test t;
  t.driver.gpus[1].direct_rdma = true;
  for (int gpu : {0, 1}) {
    void* const base = t.gpus.reserve(gpu, 8 * mib);
    t.gpus.commit(gpu, base, 0, 8 * mib);
    CHECK(t.driver.rdma_pieces == 4 * gpu);
    t.gpus.release(gpu, base, 8 * mib);
  }
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("the fake driver reports memory that is unmapped before the work on it is done") {
  platform_test t;
  void* const base = t.gpus.reserve(0, 8 * mib);
  t.gpus.commit(0, base, 0, 8 * mib);
  queue const q = t.gpus.open_queue(0);
  endpoint const first{base, 0}, second{static_cast<std::byte*>(base) + mib, 0};
  t.gpus.copy(q, second, first, mib);
  t.gpus.decommit(0, base, 4 * mib, 2 * mib);  // memory that the copy does not access
  CHECK(t.driver.misuse.empty());
  CHECK(t.driver.undone() == 1);
  t.gpus.decommit(0, base, 0, 2 * mib);
  CHECK(t.driver.misuse ==
        std::vector<std::string>{"cuMemUnmap of memory that queued work accesses"});
  CHECK(t.driver.undone() == 1);
}
