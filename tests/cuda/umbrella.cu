// gpus: 0
// env: CUDA_VISIBLE_DEVICES=1
// A program that nvcc compiled uses NVIDIA's GPUs by including the umbrella header.
#include "fake/fake_cuda.hpp"

#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

namespace {
using row = tensor<float, dextents<1>>;
}  // namespace

TEST_CASE("GPUs are available without a registration call") {
  fake().gpus[1].name = "NVIDIA Fake T4";
  CHECK(is_built_with_cuda());
  REQUIRE(list_physical_devices("GPU").size() == 1);
  CHECK(hardware_name(gpu0) == "NVIDIA Fake T4");
  CHECK(properties(gpu0).machine_index == 1);
  CHECK(this_machine().real);
  CHECK(cuda_runtime_version() == CUDART_VERSION);
  CHECK(cuda_driver_version() == CUDA_VERSION);
  CHECK(fake().contexts == 0);
}

TEST_CASE("tensors are copied to a GPU and back, and the stream is one of the CUDA runtime") {
  with_device const no_kernels("/cpu:0");  // the fake driver runs no kernel
  row const x = copy_to(gpu0, row(iota<float>(1000, 0.f)));
  CHECK(x.where() == gpu0);
  CHECK(x.read()[999] == 999);
  cudaStream_t const stream = cuda::stream_of(logical(gpu0));
  CHECK(stream != nullptr);
  cuda::use_stream const scope(gpu0, stream);
  CHECK(copy_to(cpu0, x).read()[7] == 7);
  CHECK(fake().misuse.empty());
}

TEST_CASE("a GPU older than this file's code is not used, and the reason is given") {
  fake().gpus[1].major = 1;
  CHECK(list_physical_devices("GPU").empty());
  CHECK(why_no_gpu().find("this program was compiled for compute capability ") !=
        std::string::npos);
  row const y = relu(row(iota<float>(3, -1.f)));
  CHECK(y.where() == cpu0);
}

TEST_CASE("a kernel launch that fails is an error that names the op") {
  std::string const why =
      error_message([] {  // the CUDA runtime calls driver functions that the fake driver lacks
        cuda::check_launch(logical(gpu0), "Relu");
      });
  CHECK(why.starts_with(
      "placement: the launch of Relu on /GPU:0 (NVIDIA Fake H100) failed: cudaError"));
}
