// Library work on a stream of the caller, between kernels of the caller.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace placement;

namespace {

__global__ void add_one(float* x, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] += 1;
}

/// The sum over a warp: one instruction for sm_80 and later.
__device__ unsigned warp_sum(unsigned x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, x);
#else
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
#endif
}

/// What the threads of a warp and of a block compute together, as words of `out` for each thread.
__global__ void together(unsigned* out, unsigned* total) {
  __shared__ unsigned per_warp[8];
  unsigned const thread = threadIdx.x, lane = thread % 32, all = 0xffffffffu;
  unsigned const threes = __ballot_sync(all, thread % 3 == 0);
  unsigned const same = __match_any_sync(all, thread % 4);
  unsigned const sum = warp_sum(thread);
  unsigned scanned = lane;
  for (unsigned d = 1; d < 32; d *= 2) {
    unsigned const below = __shfl_up_sync(all, scanned, d);
    if (lane >= d) scanned += below;
  }
  if (lane == 31) per_warp[thread / 32] = scanned;
  __syncthreads();
  unsigned const of_next = per_warp[(thread / 32 + 1) % 8];
  int const votes = __syncthreads_count(thread < 100);
  atomicAdd(total, thread);
  atomicMax(total + 1, thread);
  unsigned* const mine = out + 6 * thread;
  mine[0] = threes;
  mine[1] = same;
  mine[2] = sum;
  mine[3] = scanned;
  mine[4] = of_next;
  mine[5] = static_cast<unsigned>(votes);
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

TEST_CASE("kernels of the caller vote, match, reduce, scan and use atomic operations") {
  need_hardware();
  constexpr unsigned threads = 256;
  tensor<unsigned, dextents<1>> out = on(gpu0, zeros<unsigned>(6 * threads));
  tensor<unsigned, dextents<1>> total = on(gpu0, zeros<unsigned>(2));
  together<<<1, threads, 0, cuda::stream_of(logical(gpu0))>>>(out.data(), total.data());
  auto const h = out.read(), t = total.read();
  CHECK(t[0] == threads * (threads - 1) / 2);
  CHECK(t[1] == threads - 1);
  int wrong = 0;
  for (unsigned i = 0; i != threads; ++i) {
    unsigned const lane = i % 32, first = i - lane;
    unsigned threes = 0, same = 0;
    for (unsigned l = 0; l != 32; ++l) {
      if ((first + l) % 3 == 0) threes |= 1u << l;
      if ((first + l) % 4 == i % 4) same |= 1u << l;
    }
    unsigned const expected[] = {threes,      same, 32 * first + 31 * 32 / 2, lane * (lane + 1) / 2,
                                 31 * 32 / 2, 100};
    for (unsigned k = 0; k != 6; ++k) wrong += h[6 * i + k] != expected[k];
  }
  CHECK(wrong == 0);
}

TEST_CASE("memory of cudaMalloc is an operand and a result, between kernels of the program") {
  need_hardware();
  constexpr int n = 10'007;
  static_cast<void>(cuda::stream_of(logical(gpu0)));  // makes the device current, too
  std::vector<float> values(n, 1.f);
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 2 * n * sizeof(float)) == cudaSuccess);
  auto* const first = static_cast<float*>(memory);
  REQUIRE(cudaMemcpy(first, values.data(), n * sizeof(float), cudaMemcpyHostToDevice) ==
          cudaSuccess);
  add_one<<<(n + 255) / 256, 256>>>(first, n);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  {
    auto const x = borrow(first, shape(n), gpu0);
    auto y = borrow(first + n, shape(n), gpu0);  // at an odd address
    y = x * 3.f + x;
    synchronize(gpu0);
  }
  add_one<<<(n + 255) / 256, 256>>>(first + n, n);
  REQUIRE(cudaMemcpy(values.data(), first + n, n * sizeof(float), cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  CHECK(values == std::vector<float>(n, 9.f));
  CHECK(cudaFree(memory) == cudaSuccess);
}
