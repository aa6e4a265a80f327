// gpus: 0
// Kernel launches: their limits, and their errors. The functions of the CUDA runtime are the
// test's, as a launch takes those of the module that has the kernel.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <utility>

using namespace placement;

namespace {

/// What the test's runtime returns and what it was called with.
struct runtime_record {
  cudaError_t result = cudaSuccess;
  int launches = 0, errors_taken = 0;
  unsigned blocks = 0, threads = 0;
  void const *kernel = nullptr, *argument = nullptr;
  cudaStream_t stream = nullptr;
};
runtime_record record;

cudaError_t launched(void const* kernel, dim3 blocks, dim3 threads, void** arguments, std::size_t,
                     cudaStream_t stream) {
  ++record.launches;
  record.kernel = kernel;
  record.argument = *arguments;
  record.blocks = blocks.x;
  record.threads = threads.x;
  record.stream = stream;
  return record.result;
}
cudaError_t last_error() {
  ++record.errors_taken;
  return std::exchange(record.result, cudaSuccess);
}

int const a_kernel = 1, an_argument = 2;

void launch_blocks(index_t blocks) {
  cuda::launch_kernel({&a_kernel, &an_argument, blocks, {&launched, &last_error}}, logical(gpu0),
                      "Squares");
}

}  // namespace

TEST_CASE("a launch calls the CUDA runtime of the module that has the kernel") {
  use_fake_gpus();
  launch_blocks(3);
  CHECK(record.launches == 1);
  CHECK(record.kernel == &a_kernel);
  CHECK(record.argument == &an_argument);
  CHECK(record.blocks == 3);
  CHECK(record.threads == unsigned{block_threads});
  CHECK(record.stream == cuda::stream_of(logical(gpu0)));
  CHECK(record.errors_taken == 0);
}

TEST_CASE("a launch has 2147483647 blocks at most, and the error says so") {
  use_fake_gpus();
  launch_blocks(2'147'483'647);
  CHECK(record.blocks == 2'147'483'647u);
  for (index_t blocks : {index_t{2'147'483'648}, index_t{4'294'967'297}}) {
    CHECK(error_message<placement_error>([&] { launch_blocks(blocks); }) ==
          "placement: the launch of Squares needs " + std::to_string(blocks) +
              " blocks, and a GPU starts 2147483647 at most. Split the tensor along its first "
              "dimension.");
  }
  CHECK(record.launches == 1);
}

TEST_CASE("a failed launch throws, and clears the error of that runtime") {
  use_fake_gpus();
  record.result = cudaErrorInvalidConfiguration;
  CHECK(error_message<placement_error>([] { launch_blocks(1); })
            .starts_with("placement: the launch of Squares on /GPU:0 (NVIDIA Fake H100) failed: "
                         "cudaErrorInvalidConfiguration (9, "));
  CHECK(record.errors_taken == 1);
  launch_blocks(1);
  CHECK(record.launches == 2);
}

TEST_CASE("a kernel that the runtime does not know is one without code for the GPU") {
  use_fake_gpus();
  record.result = cudaErrorInvalidDeviceFunction;
  CHECK(
      error_message<placement_error>([] { launch_blocks(1); }) ==
      "placement: the launch of Squares on /GPU:0 (NVIDIA Fake H100) failed: "
      "cudaErrorInvalidDeviceFunction (98, invalid device function). This program has no code for "
      "compute capability 9.0. Compile it with CMAKE_CUDA_ARCHITECTURES=90, or nvcc -arch=sm_90.");
}
