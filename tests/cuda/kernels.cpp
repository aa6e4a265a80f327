// gpus: 0
// Kernels on the fake driver: they run as late as copies do, and their errors are the driver's.
#include "fake/use_fake.hpp"

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

template <class Pointer> Pointer of_driver(char const* name) {
  return reinterpret_cast<Pointer>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW), name));
}
#define DRIVER(function) of_driver<decltype(&::function)>(#function)

/// What nvcc embeds for this PTX: a header, and one entry without compression.
std::vector<std::uint64_t> fat_binary(std::string const& ptx) {
  std::size_t const words = ptx.size() / 8 + 1;
  std::vector<std::uint64_t> all(2 + 8 + words);
  auto* const bytes = reinterpret_cast<unsigned char*>(all.data());
  auto const put = [&](std::size_t at, auto value) {
    std::memcpy(bytes + at, &value, sizeof value);
  };
  put(0, std::uint32_t{0xBA55ED50u});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64 + 8 * words});
  put(16, std::uint16_t{1});
  put(20, std::uint32_t{64});
  put(24, std::uint64_t{8 * words});
  std::memcpy(bytes + 80, ptx.data(), ptx.size());
  return all;
}

/// Each thread adds 1 to its word, `step` bytes apart, from p0 on.
std::string add_one(std::string const& step) {
  return ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry add_one(.param .u64 p0)\n{"
         ".reg .b32 %r<5>; .reg .b64 %rd<5>;\n"
         "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, " +
         step +
         ";\nadd.s64 %rd1, %rd1, %rd2;\nld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\n"
         "st.global.u32 [%rd1], %r2;\nret;\n}\n";
}

/// GPU 0 with a stream, and 64 words of its memory that are 5.
struct one_gpu {
  fake_cuda& driver = use_fake_gpus(1);
  CUstream stream = nullptr;
  CUdeviceptr words = 0;
  std::vector<std::uint32_t> host = std::vector<std::uint32_t>(64, 5);

  one_gpu() {
    CUcontext context = nullptr;
    REQUIRE(DRIVER(cuInit)(0) == CUDA_SUCCESS);
    REQUIRE(DRIVER(cuDevicePrimaryCtxRetain)(&context, 0) == CUDA_SUCCESS);
    REQUIRE(DRIVER(cuCtxSetCurrent)(context) == CUDA_SUCCESS);
    REQUIRE(DRIVER(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(DRIVER(cuMemAllocAsync)(&words, 256, stream) == CUDA_SUCCESS);
    auto const copy_in = of_driver<decltype(&::cuMemcpyHtoDAsync)>("cuMemcpyHtoDAsync_v2");
    REQUIRE(copy_in(words, host.data(), 256, stream) == CUDA_SUCCESS);
  }
  CUresult launch(std::string const& ptx, unsigned threads, CUdeviceptr at) {
    codes_.push_back(fat_binary(ptx));  // loaded code stays in place
    CUlibrary library = nullptr;
    CUresult const loaded = DRIVER(cuLibraryLoadData)(&library, codes_.back().data(), nullptr,
                                                      nullptr, 0, nullptr, nullptr, 0);
    if (loaded != CUDA_SUCCESS) return loaded;
    CUkernel kernel = nullptr;
    REQUIRE(DRIVER(cuLibraryGetKernel)(&kernel, library, "add_one") == CUDA_SUCCESS);
    void* arguments[] = {&at};
    return DRIVER(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, threads, 1, 1, 0,
                                  stream, arguments, nullptr);
  }
  CUresult finish() { return DRIVER(cuStreamSynchronize)(stream); }
  std::uint32_t word(std::size_t i) const {
    return reinterpret_cast<std::uint32_t const*>(words)[i];
  }

 private:
  std::vector<std::vector<std::uint64_t>> codes_;
};

}  // namespace

TEST_CASE("a kernel runs when its stream is waited for, after earlier work") {
  one_gpu gpu;
  REQUIRE(gpu.launch(add_one("4"), 64, gpu.words) == CUDA_SUCCESS);
  CHECK(gpu.driver.undone() == 2);  // the copy, too
  CHECK(gpu.word(63) != 6);
  CHECK(gpu.finish() == CUDA_SUCCESS);
  for (std::size_t i = 0; i != 64; ++i) CHECK(gpu.word(i) == 6);
  CHECK(gpu.driver.kernel_errors.empty());
  CHECK(gpu.driver.misuse.empty());
}
TEST_CASE("a kernel of a recorded graph runs at each launch of the graph") {
  one_gpu gpu;
  REQUIRE(gpu.finish() == CUDA_SUCCESS);
  auto const begin = of_driver<decltype(&::cuStreamBeginCapture)>("cuStreamBeginCapture_v2");
  REQUIRE(begin(gpu.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  REQUIRE(gpu.launch(add_one("4"), 64, gpu.words) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphExec instance = nullptr;
  REQUIRE(DRIVER(cuStreamEndCapture)(gpu.stream, &graph) == CUDA_SUCCESS);
  REQUIRE(DRIVER(cuGraphInstantiateWithFlags)(&instance, graph, 0) == CUDA_SUCCESS);
  CHECK(gpu.word(0) == 5);
  for (int i = 0; i != 3; ++i) REQUIRE(DRIVER(cuGraphLaunch)(instance, gpu.stream) == CUDA_SUCCESS);
  CHECK(gpu.finish() == CUDA_SUCCESS);
  CHECK(gpu.word(0) == 8);
  CHECK(gpu.driver.misuse.empty());
}
TEST_CASE("an access beyond an allocation is an illegal address, and the GPU stays lost") {
  one_gpu gpu;
  REQUIRE(gpu.launch(add_one("4"), 65, gpu.words) == CUDA_SUCCESS);
  CHECK(gpu.finish() == CUDA_ERROR_ILLEGAL_ADDRESS);
  REQUIRE(gpu.driver.kernel_errors.size() == 1);
  std::string const text = gpu.driver.kernel_errors[0];
  CHECK(text.starts_with("kernel add_one: read of 4 bytes at 0x"));
  CHECK(text.find("in block (0,0,0) thread (64,0,0), line 10: ld.global.u32") != text.npos);
  CHECK(gpu.launch(add_one("4"), 64, gpu.words) == CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_CASE("a misaligned access is an error of its own") {
  one_gpu gpu;
  REQUIRE(gpu.launch(add_one("2"), 64, gpu.words) == CUDA_SUCCESS);
  CHECK(gpu.finish() == CUDA_ERROR_MISALIGNED_ADDRESS);
}
TEST_CASE("launches with invalid sizes, and code that is not known, are rejected") {
  one_gpu gpu;
  CHECK(gpu.launch(add_one("4"), 1025, gpu.words) == CUDA_ERROR_INVALID_VALUE);
  CHECK(gpu.launch(add_one("4"), 0, gpu.words) == CUDA_ERROR_INVALID_VALUE);
  CHECK(gpu.launch(add_one("%strange"), 64, gpu.words) == CUDA_ERROR_INVALID_PTX);
  CHECK(gpu.driver.kernel_errors.back().find("register %strange") != std::string::npos);
  CHECK(gpu.launch("no code", 64, gpu.words) != CUDA_SUCCESS);
}
TEST_CASE("a GPU does not run code for newer GPUs") {
  one_gpu gpu;
  std::string newer = add_one("4");
  newer.replace(newer.find("sm_80"), 5, "sm_120");
  CHECK(gpu.launch(newer, 64, gpu.words) == CUDA_ERROR_NOT_FOUND);
}
