// gpus: 0
// The resources of a kernel: a stream, temporary memory, and temporary use of the caller's stream.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/cuda/context.cuh>
#include <placement/device/synchronize.hpp>
#include <placement/interop/graph.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

using row = tensor<float, dextents<1>>;

row numbers(index_t n = 1000) { return row(iota<float>(n, 0.f)); }

/// A stream that the test creates on a GPU.
CUstream stream_on(int ordinal) {
  cuda::cuda_device& d = cuda::platform_of_process().device(ordinal);
  CUstream made = nullptr;
  d.call(d.api().create_stream, &made, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  return made;
}

}  // namespace

TEST_CASE("a logical device has one stream, and stream_of makes its GPU current") {
  fake_cuda& driver = use_fake_gpus();
  set_logical_device_limits({gpu0}, {std::size_t{64} << 20, std::size_t{64} << 20});
  CUstream const first = cuda::stream_of(logical({kind::gpu, 0}));
  CHECK(cuda::stream_of(logical({kind::gpu, 0})) == first);
  CHECK(cuda::stream_of(logical({kind::gpu, 1})) != first);
  CHECK(driver.contexts == 1);
  cuda::stream_of(logical({kind::gpu, 2}));
  CHECK(driver.contexts == 2);
  CUcontext now = nullptr;
  cuda::driver const api;
  api.current_context(&now);
  CHECK(now == cuda::platform_of_process().device(1).context());
  CHECK(driver.streams == 3);
}

TEST_CASE("the CPU and simulated GPUs have no stream") {
  use_fake_gpus();
  CHECK(error_message<invalid_argument>([] { cuda::stream_of(logical(cpu0)); }) ==
        "placement: /CPU:0 is no GPU of CUDA's, so it has no stream. Name one of hardware.");
}
TEST_CASE("a simulated GPU has no stream") {
  set_simulated_gpus({.count = 1});
  CHECK_THROWS_AS(cuda::stream_of(logical(gpu0)), invalid_argument);
}

TEST_CASE(
    "scratch memory comes from the pool, is counted, and is released at the end of the block") {
  use_fake_gpus();
  {
    cuda::scratch const temp(logical(gpu0), 1000);
    CHECK(temp.data() != nullptr);
    CHECK(temp.size() == 1000);
    CHECK(memory_stats_of(gpu0).in_use == 1024);
  }
  CHECK(memory_stats_of(gpu0).in_use == 0);
  CHECK_THROWS_AS(cuda::scratch(logical(gpu0), std::size_t{1} << 40), out_of_memory);
}

TEST_CASE(
    "a use_stream scope sends work to the caller's stream, in order with all work before and after") {
  fake_cuda& driver = use_fake_gpus();
  logical_device const& on = logical(gpu0);
  CUstream const own = cuda::stream_of(on), mine = stream_on(0);
  row const x = copy_to(gpu0, numbers());
  {
    cuda::use_stream const scope(gpu0, mine);
    CHECK(cuda::stream_of(on) == mine);
    CHECK(driver.waits_between_streams == 1);
    CHECK(to_string(copy_to(cpu0, x)) == to_string(numbers()));
  }
  CHECK(cuda::stream_of(on) == own);
  CHECK(driver.waits_between_streams == 2);
  CHECK(to_string(copy_to(cpu0, x)) == to_string(numbers()));
  CHECK(driver.misuse.empty());
}

TEST_CASE("work on one stream is done before later work on the other stream begins") {
  fake_cuda& driver = use_fake_gpus();
  cuda::cuda_platform& gpus = cuda::platform_of_process();
  logical_device const& on = logical(gpu0);
  CUstream const mine = stream_on(0);
  row const x = copy_to(gpu0, numbers()), y = copy_to(gpu0, row(zeros<float>(1000))),
            z = copy_to(gpu0, row(zeros<float>(1000)));
  auto at = [](row const& r) { return endpoint{const_cast<float*>(r.data()), 0}; };
  gpus.copy(on.work, at(y), at(x), 4000);  // on the library's stream
  {
    cuda::use_stream const scope(gpu0, mine);
    gpus.copy(on.work, at(z), at(y), 4000);  // on the caller's stream, which must see y
  }
  CHECK(to_string(copy_to(cpu0, z)) == to_string(numbers()));  // on the library's, which must see z
  CHECK(driver.misuse.empty());
}

TEST_CASE("use_stream scopes nest, also over a queue that has not been used") {
  use_fake_gpus();
  logical_device const& on = logical(gpu1);
  CUstream const outer = stream_on(1), inner = stream_on(1);
  {
    cuda::use_stream const first(gpu1, outer);
    {
      cuda::use_stream const second(gpu1, inner);
      CHECK(cuda::stream_of(on) == inner);
    }
    CHECK(cuda::stream_of(on) == outer);
  }
  CHECK(cuda::stream_of(on) != outer);
}

TEST_CASE("a use_stream scope whose construction fails changes nothing") {
  fake_cuda& driver = use_fake_gpus();
  logical_device const& on = logical(gpu0);
  CUstream const own = cuda::stream_of(on), mine = stream_on(0);
  for (char const* function : {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"}) {
    driver.fail(function);
    CHECK_THROWS_AS(cuda::use_stream(gpu0, mine), placement_error);
    CHECK(cuda::stream_of(on) == own);
  }
  CHECK_THROWS_AS(cuda::use_stream(cpu0, mine), invalid_argument);
  CHECK_THROWS_AS(cuda::use_stream(device{kind::gpu, 9}, mine), placement_error);
}

TEST_CASE(
    "a use_stream scope whose end cannot be ordered waits on the host and restores the stream") {
  fake_cuda& driver = use_fake_gpus();
  logical_device const& on = logical(gpu0);
  CUstream const own = cuda::stream_of(on), mine = stream_on(0);
  row const x = copy_to(gpu0, numbers());
  {
    cuda::use_stream const scope(gpu0, mine);
    driver.fail("cuStreamWaitEvent");
  }
  CHECK(driver.calls["cuStreamSynchronize"] != 0);
  CHECK(cuda::stream_of(on) == own);
  CHECK(to_string(copy_to(cpu0, x)) == to_string(numbers()));
}

TEST_CASE("waiting for a queue throws the error that a kernel left for the host") {
  use_fake_gpus();
  logical_device const& on = logical(gpu0);
  row const x = copy_to(gpu0, numbers());
  cuda::detail::queue_of(on).when_done(
      [](logical_device const& d) { throw shape_error("a kernel said so on " + d.name()); }, on);
  CHECK(error_message<shape_error>([] { synchronize(gpu0); }) ==
        "a kernel said so on /device:GPU:0");
  CHECK(error_message<shape_error>([&] { x.read(); }) == "a kernel said so on /device:GPU:0");
  CHECK_NOTHROW(synchronize({kind::gpu, 1}));
}

TEST_CASE("scratch memory of recorded work belongs to the recording, and replay uses it") {
  fake_cuda& driver = use_fake_gpus();
  row const x = copy_to(gpu0, numbers());
  std::size_t const before = memory_stats_of(gpu0).in_use;
  {
    graph twice = capture("/gpu:0", [&] {
      logical_device const& on = logical(gpu0);
      cuda::scratch const temp(on, 4000);
      endpoint const there{temp.data(), 0}, here{const_cast<float*>(x.data()), 0};
      on.owner->copy(on.work, there, here, 4000);
      on.owner->copy(on.work, here, there, 4000);
    });
    CHECK(memory_stats_of(gpu0).in_use == before + 4096);
    twice.replay();
    CHECK(x.read()[999] == 999);
  }
  CHECK(memory_stats_of(gpu0).in_use == before);
  CHECK(driver.graphs == 0);
  CHECK(driver.misuse.empty());
}

TEST_CASE("the report of a GPU is made in its context, also by a thread that used no GPU before") {
  fake_cuda& driver = use_fake_gpus();
  logical_device const& on = logical(gpu1);
  std::thread([&] {
    kernel_report* const report = cuda::report_of(on);
    CHECK(report != nullptr);
    CUcontext now = nullptr;
    cuda::driver const api;
    api.current_context(&now);
    CHECK(now == cuda::platform_of_process().device(1).context());
    CHECK(cuda::report_of(on) == report);
  }).join();
  CHECK(driver.contexts == 1);
  CHECK(driver.pinned == 1);
  CHECK(driver.misuse.empty());
}

TEST_CASE("a report that a kernel wrote is thrown by the next wait for its GPU, once") {
  use_fake_gpus();
  kernel_report* const report = cuda::report_of(logical(gpu0));
  row const x = copy_to(gpu0, numbers());
  *report = {.index = 7, .extent = 3, .reported = 1};
  CHECK(error_message<shape_error>([] {
          synchronize(gpu0);
        }).starts_with("placement: gather of index 7 in a dimension of extent 3 on "));
  CHECK_NOTHROW(synchronize(gpu0));
  *report = {.index = 12, .extent = 10, .reported = 1, .row = 3};
  CHECK(error_message<shape_error>([] {
          synchronize(gpu0);
        }).starts_with("placement: label 12 of row 3 is no class: the logits on "));
  CHECK_NOTHROW(synchronize(gpu0));
}
