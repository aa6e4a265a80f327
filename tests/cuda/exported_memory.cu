// gpus: 0
// The pool of a GPU as an allocator for Thrust and as a CUDA memory resource.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include "fake/fake_cuda.hpp"

#include <support/log_lines.hpp>

#include <placement/cuda/memory_resource.cuh>
#include <placement/cuda/thrust_allocator.cuh>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thrust/device_vector.h>

#include <cstddef>
#include <limits>

namespace gpus = placement::cuda;  // beside CUDA's own namespace `cuda`
using placement::cpu0, placement::device, placement::gpu0, placement::kind;
using placement::invalid_argument, placement::out_of_memory, placement::placement_error;
using placement::logical, placement::memory_stats_of, placement::pool_of;

static_assert(::cuda::mr::async_resource_with<gpus::pool_resource, ::cuda::mr::device_accessible>);

namespace {

constexpr std::size_t kib = 1024;

CUstream stream_of_others() {
  gpus::cuda_device& d = gpus::platform_of_process().device(0);
  CUstream made = nullptr;
  d.call(d.api().create_stream, &made, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  return made;
}

}  // namespace

TEST_CASE("a memory resource allocates from the pool, and the pool knows the call site") {
  gpus::pool_resource from(gpu0);
  void* const p = from.allocate(1000);
  CHECK(memory_stats_of(gpu0).in_use == kib);
  CHECK(to_string(pool_of(gpu0).usage_by_call_site().at(0).caller) == "cuda::mr");
  from.deallocate(p, 1000);
  CHECK(memory_stats_of(gpu0).in_use == 0);
  CHECK(fake().calls["cuCtxSynchronize"] == 1);
  CHECK(from == gpus::pool_resource(gpu0));
  CHECK_FALSE(from == gpus::pool_resource(device{kind::gpu, 1}));
  CHECK(error_message<invalid_argument>([&] { from.allocate(1, 512); }) ==
        "placement: memory of /GPU:0 is aligned to 256 bytes, not to 512. Ask for less.");
  CHECK_THROWS_AS(gpus::pool_resource(cpu0), invalid_argument);
}

TEST_CASE("events order memory of a stream with the library's work, in both directions") {
  fake_cuda& driver = fake();
  gpus::pool_resource from(gpu0);
  CUstream const theirs = stream_of_others();
  void* const p = from.allocate_async(1000, 256, ::cuda::stream_ref(theirs));
  CHECK(driver.waits_between_streams == 1);
  from.deallocate_async(p, 1000, 256, ::cuda::stream_ref(theirs));
  CHECK(driver.waits_between_streams == 2);
  CHECK(driver.calls["cuCtxSynchronize"] == 0);
  CUstream const ours = gpus::stream_of(logical(gpu0));
  void* const q = from.allocate_async(1000, 256, ::cuda::stream_ref(ours));
  from.deallocate_async(q, 1000, 256, ::cuda::stream_ref(ours));
  CHECK(driver.waits_between_streams == 2);
  CHECK(driver.misuse.empty());
}

TEST_CASE("if recording an event fails, allocation fails, and deallocation waits on the host") {
  fake_cuda& driver = fake();
  gpus::pool_resource from(gpu0);
  CUstream const theirs = stream_of_others();
  void* const p = from.allocate_async(1000, 256, ::cuda::stream_ref(theirs));
  driver.fail("cuEventRecord");
  CHECK_THROWS_AS(from.allocate_async(1000, 256, ::cuda::stream_ref(theirs)), placement_error);
  CHECK(memory_stats_of(gpu0).in_use == kib);
  driver.fail("cuEventRecord");
  from.deallocate_async(p, 1000, 256, ::cuda::stream_ref(theirs));
  CHECK(driver.calls["cuCtxSynchronize"] == 1);
  CHECK(memory_stats_of(gpu0).in_use == 0);
  gpus::stream_of(logical(gpu0));
  driver.fail("cuStreamSynchronize");
  CHECK_THROWS_AS(from.allocate(1000), placement_error);
  CHECK(memory_stats_of(gpu0).in_use == 0);
}

TEST_CASE("Thrust's containers take an allocator of the pool") {
  gpus::thrust_allocator<float> from(gpu0);
  thrust::device_vector<float, gpus::thrust_allocator<float>> v(from);
  v.reserve(1000);  // no element, no kernel: the fake driver runs none
  CHECK(v.capacity() == 1000);
  CHECK(memory_stats_of(gpu0).in_use == 4 * kib);
  CHECK(gpus::thrust_allocator<double>(from) == gpus::thrust_allocator<double>(gpu0));
  CHECK_THROWS_AS(from.allocate(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
  CHECK_THROWS_AS(from.allocate(std::size_t{1} << 40), out_of_memory);
}

TEST_CASE("temporaries of Thrust's algorithms come from the pool, without host waits") {
  gpus::thrust_temporaries temporaries(gpu0);
  char* const p = temporaries.allocate(1000);
  CHECK(memory_stats_of(gpu0).in_use == kib);
  temporaries.deallocate(p, 1000);
  CHECK(memory_stats_of(gpu0).in_use == 0);
  CHECK(fake().calls["cuStreamSynchronize"] + fake().calls["cuCtxSynchronize"] == 0);
  CHECK_THROWS_AS(gpus::thrust_temporaries(cpu0), invalid_argument);
}
