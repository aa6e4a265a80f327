// gpus: 0
// GPU failures: context creation, sticky errors, forked children, and use during program exit.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/cuda/check.cuh>
#include <placement/device/synchronize.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

using row = tensor<float, dextents<1>>;

constexpr std::size_t mib = std::size_t{1} << 20;

/// A tensor with elements 0, 1, 2, ... on a GPU.
row on_gpu(device d, index_t n = 4) { return copy_to(d, row(iota<float>(n, 0.f))); }

/// The exit status of a child process.
template <class Work> int status_of_child(Work work) {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(work());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The errors from 700 on after which a context is still usable.
constexpr bool leaves_context_usable(int code) {
  for (CUresult known :
       {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
        CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, CUDA_ERROR_TOO_MANY_PEERS,
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE})
    if (static_cast<int>(known) == code) return true;
  return false;
}

std::string const first_gpu = "device 0 (NVIDIA Fake H100, 0000:0a:00.0)";

}  // namespace

TEST_CASE(
    "a GPU whose context creation fails stays unusable with the same error, and others work") {
  fake_cuda& driver = use_fake_gpus();
  driver.fail("cuDevicePrimaryCtxRetain", 1, CUDA_ERROR_OUT_OF_MEMORY);
  std::string const why =
      "placement: " + first_gpu + " cannot be used: cuDevicePrimaryCtxRetain on " + first_gpu +
      " failed: CUDA_ERROR_OUT_OF_MEMORY (2, out of memory). End the program, and look with nvidia-smi "
      "who else uses the GPU.";
  CHECK(error_message<placement_error>([] { on_gpu(gpu0); }) == why);
  CHECK(error_message<placement_error>([] { on_gpu(gpu0); }) == why);
  CHECK(driver.calls["cuDevicePrimaryCtxRetain"] == 1);
  CHECK(to_string(on_gpu(gpu1)) == "[0 1 2 3]");
}

TEST_CASE("after a sticky error the GPU stays unusable and errors give the first reason") {
  fake_cuda& driver = use_fake_gpus();
  row const x = on_gpu(gpu0), other = on_gpu(gpu1);
  logical_device const& on = logical(gpu0);
  for (char const* op : {"Relu", "Exp", "MatMul", "Add", "Sum"}) on.owner->launched(on.work, op);
  driver.fail("cuStreamSynchronize", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
  std::string const what = "cuStreamSynchronize on " + first_gpu +
                           " failed: CUDA_ERROR_ILLEGAL_ADDRESS (700, an illegal memory access was "
                           "encountered), after kernels of Exp, MatMul, Add, Sum. ";
  CHECK(error_message<placement_error>([] { synchronize(gpu0); }) ==
        "placement: " + what +
            "The GPU is lost to this program: end it, and look for the kernel with "
            "compute-sanitizer.");
  int const calls = driver.calls["cuMemcpyDtoHAsync_v2"];
  for (int i = 0; i != 2; ++i)
    CHECK(error_message<placement_error>([&] { copy_to(cpu0, x); }) ==
          "placement: " + first_gpu + " cannot be used: " + what +
              "End the program, and look with nvidia-smi who else uses the GPU.");
  CHECK(driver.calls["cuMemcpyDtoHAsync_v2"] == calls);
  CHECK(to_string(other) == "[0 1 2 3]");
}

TEST_CASE("errors of running kernels are sticky, also those that the toolkit does not name") {
  auto const is_sticky = [](int code) {
    return cuda::detail::is_sticky(static_cast<CUresult>(code));
  };
  for (int code = 700; code != 800; ++code) {
    INFO("code " << code);
    CHECK(is_sticky(code) == !leaves_context_usable(code));
  }
  for (int code : {214, 220, 226}) CHECK(is_sticky(code));
  for (int code : {0, 1, 2, 98, 201, 209, 400, 600, 699, 800, 900, 999})
    CHECK_FALSE(is_sticky(code));
}

TEST_CASE("after a contained memory error the GPU is not asked again") {
  fake_cuda& driver = use_fake_gpus();
  row const x = on_gpu(gpu0);
  driver.fail("cuStreamSynchronize", 1, static_cast<CUresult>(226));
  CHECK(error_message<placement_error>([] {
          synchronize(gpu0);
        }).find("The GPU is lost to this program") != std::string::npos);
  int const calls = driver.calls["cuMemcpyDtoHAsync_v2"];
  CHECK_THROWS_AS(copy_to(cpu0, x), placement_error);
  CHECK(driver.calls["cuMemcpyDtoHAsync_v2"] == calls);
}

TEST_CASE("an error in a function that cannot throw is counted, and remembered if it is sticky") {
  fake_cuda& driver = use_fake_gpus();
  long const before = cuda::swallowed_errors();
  {
    row const x = on_gpu(gpu0);
    driver.fail("cuMemUnmap", 1, CUDA_ERROR_LAUNCH_FAILED);
  }
  trim(gpu0);
  CHECK(cuda::swallowed_errors() > before);
  CHECK(error_message<placement_error>([] { on_gpu(gpu0); }).find("cuMemUnmap on " + first_gpu) !=
        std::string::npos);
}

TEST_CASE("the error for a context that another part of the program destroyed names the GPU") {
  fake_cuda& driver = use_fake_gpus();
  on_gpu(gpu0);
  std::thread([&] {
    driver.fail("cuCtxSetCurrent", 1, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK(error_message<placement_error>([] {
            on_gpu(gpu0);
          }).find("cuCtxSetCurrent on " + first_gpu) != std::string::npos);
  }).join();
}

TEST_CASE("another library can make another GPU current between calls") {
  fake_cuda& driver = use_fake_gpus();
  row const x = on_gpu(gpu0), y = on_gpu(gpu1);
  for (int i = 0; i != 3; ++i) {
    CHECK(to_string(x) == "[0 1 2 3]");
    CHECK(to_string(y) == "[0 1 2 3]");
  }
  CHECK(driver.misuse.empty());
  std::thread([&] { CHECK(to_string(x) == "[0 1 2 3]"); }).join();
}

TEST_CASE("GPU use in a child of a process that used a GPU is an error, and calls no driver") {
  fake_cuda& driver = use_fake_gpus();
  row const x = on_gpu(gpu0);
  CHECK(status_of_child([&] {
          driver.closed = true;
          std::string const why = error_message<placement_error>([] { on_gpu(gpu0); });
          return why.find("GPUs do not survive fork()") == std::string::npos ? 1 : 0;
        }) == 0);
  CHECK(to_string(x) == "[0 1 2 3]");
}

TEST_CASE("GPU use in a child of a process that only listed its GPUs is an error, too") {
  fake_cuda& driver = use_fake_gpus();
  REQUIRE(list_physical_devices("GPU").size() == 2);
  CHECK(status_of_child([&] {
          driver.closed = true;
          bool const platform_refuses =
              error_message<placement_error>([] {
                cuda::platform_of_process().reserve(0, mib);
              }).find("this process was forked from one that had opened the CUDA driver") !=
              std::string::npos;
          bool const refused = error_message<placement_error>([] {
                                 on_gpu(gpu0);
                               }).find("fork()") != std::string::npos;
          return platform_refuses && refused ? 0 : 1;
        }) == 0);
}

TEST_CASE("a child can use the GPUs if its parent never looked for them") {
  use_fake_gpus();
  CHECK(status_of_child([] { return to_string(on_gpu(gpu0)) == "[0 1 2 3]" ? 0 : 1; }) == 0);
}

TEST_CASE(
    "after the program's exit begins, the driver is not called, whatever is still allocated") {
  fake_cuda& driver = use_fake_gpus();
  static row const left = on_gpu(gpu0, 1 << 20);
  auto* const leaked = new row(on_gpu(gpu1));
  CHECK(leaked->where() == gpu1);
  CHECK(left.where() == gpu0);
  std::atexit([] { fake().closed = true; });
  CHECK(driver.open() != 0);
}

TEST_CASE("using a GPU while the program exits is an error") {
  use_fake_gpus();
  static row const left = row(iota<float>(4, 0.f));
  // Registered before the first context, so this handler runs after the library's own.
  std::atexit([] {
    if (error_message<placement_error>([] { copy_to(gpu0, left); }).find("the program ends") ==
        std::string::npos)
      std::_Exit(98);
  });
  on_gpu(gpu0);
}

TEST_CASE("errors of the CUDA runtime name the call, the device and the code") {
  use_fake_gpus();
  logical_device const& on = logical(gpu0);
  CHECK_NOTHROW(cuda::check(cudaSuccess, "cudaFuncSetAttribute", on));
  CHECK(
      error_message<placement_error>(
          [&] { cuda::check(cudaErrorInvalidValue, "cudaFuncSetAttribute", on); }) ==
      "placement: cudaFuncSetAttribute on /GPU:0 (NVIDIA Fake H100) failed: cudaErrorInvalidValue (1, "
      "invalid argument). Look with nvidia-smi whether the GPU is well.");
  CHECK(to_string(on_gpu(gpu0)) == "[0 1 2 3]");
}

TEST_CASE("the error for a kernel without code for the GPU names the compiler option") {
  use_fake_gpus();
  CHECK(error_message<placement_error>([&] {
          cuda::check(cudaErrorNoKernelImageForDevice, "the launch of Relu", logical(gpu0));
        }) ==
        "placement: the launch of Relu on /GPU:0 (NVIDIA Fake H100) failed: "
        "cudaErrorNoKernelImageForDevice (209, no kernel image is available for execution on the "
        "device). This program has no code for compute capability 9.0. Compile it with "
        "CMAKE_CUDA_ARCHITECTURES=90, or nvcc -arch=sm_90.");
}

TEST_CASE("an illegal address in a kernel makes the GPU unusable") {
  use_fake_gpus();
  row const x = on_gpu(gpu0);
  CHECK(error_message<placement_error>([&] {
          cuda::check(cudaErrorIllegalAddress, "the launch of Relu", logical(gpu0));
        }).find("compute-sanitizer") != std::string::npos);
  CHECK(error_message<placement_error>([&] { copy_to(cpu0, x); }).find("the launch of Relu on") !=
        std::string::npos);
}
