// Library work on a stream of the caller, between kernels of the caller.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

namespace {

__global__ void add_one(float* x, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] += 1;
}

}  // namespace

TEST_CASE("work inside use_stream runs in order between the caller's kernels on that stream") {
  need_hardware();
  constexpr int n = 100'003;
  tensor<float, dextents<1>> x = on(gpu0, zeros<float>(n));
  cudaStream_t stream = nullptr;
  static_cast<void>(cuda::stream_of(logical(gpu0)));  // makes the device current, too
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    cuda::use_stream const mine(gpu0, stream);
    for (int i = 0; i != 10; ++i) {
      add_one<<<(n + 255) / 256, 256, 0, stream>>>(x.data(), n);
      x = x * 2.f;
    }
  }
  auto const h = x.read();
  int wrong = 0;
  for (std::size_t i = 0; i != n; ++i) wrong += h[i] != 2046;
  CHECK(wrong == 0);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
