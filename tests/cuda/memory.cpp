// gpus: 0
// Memory of GPUs: reserved once, backed page by page, and what happens when the driver refuses.
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

/// The platform alone, with two GPUs.
struct platform_test {
  cuda::driver api;
  cuda::cuda_platform gpus{api};
  fake_cuda& driver = fake();

  std::size_t used(std::size_t gpu = 0) const { return driver.used[gpu]; }
};

}  // namespace

TEST_CASE("addresses are taken without memory, and the context with them") {
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

TEST_CASE("memory comes and goes by pages of 2 MiB, and both ends are rounded up") {
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

TEST_CASE("ranges of one GPU are apart") {
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

TEST_CASE("what is free is what the driver says, and all while it cannot say") {
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

TEST_CASE("a full GPU refuses with what the driver said, and nothing was changed") {
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

TEST_CASE("whichever call fails first, a commit changes nothing and the next one works") {
  for (CUresult code : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN})
    for (char const* function : {"cuMemCreate", "cuMemMap", "cuMemSetAccess"})
      for (int k : {1, 2, 3}) {
        if (k > 1 && std::string(function) == "cuMemSetAccess") continue;  // one for all pages
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

TEST_CASE("addresses that the driver does not give are an error, and the next ones are given") {
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

TEST_CASE("pages that do not divide our chunks are refused") {
  platform_test t;
  t.driver.gpus[0].page = 4 * mib;
  CHECK(
      error_message<placement_error>([&] { t.gpus.reserve(0, 8 * mib); }) ==
      "placement: the memory of device 0 (NVIDIA Fake H100, 0000:0a:00.0) comes in pages of 4194304 "
      "bytes, which do not divide 2097152. Use another GPU, or the CPU.");
}

TEST_CASE("what fails while memory is given back is swallowed and counted") {
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

TEST_CASE("small pages are taken as chunks all the same") {
  platform_test t;
  t.driver.gpus[0].page = std::size_t{64} << 10;
  void* const base = t.gpus.reserve(0, 8 * mib);
  t.gpus.commit(0, base, 0, 256);
  CHECK(t.used() == 2 * mib);
  t.gpus.release(0, base, 8 * mib);
  CHECK(t.driver.open() == 0);
}
