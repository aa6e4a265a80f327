// The library's work on a stream of the caller's, between kernels of the caller's.
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

TEST_CASE("work of a use_stream goes between the caller's kernels of that stream") {
  need_hardware();
  constexpr int n = 100'003;
  tensor<float, dextents<1>> x = on(gpu0, zeros<float>(n));
  cudaStream_t stream = nullptr;
  static_cast<void>(cuda::stream_of(logical(gpu0)));  // and the device is current
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
