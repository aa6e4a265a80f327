// The rows computed with CUB and Thrust.
#include "sides.hpp"

#include <thrust/execution_policy.h>
#include <thrust/transform.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "CUB: %s\n", cudaGetErrorString(code));
  std::exit(1);
}

struct negative {
  template <class T> __device__ T operator()(T x) const { return -x; }
};
struct sum_of_two {
  template <class T> __device__ T operator()(T x, T y) const { return x + y; }
};
struct triad_of {
  template <class T> __host__ __device__ T operator()(T x, T y) const { return x + T(3) * y; }
};
struct chain_of {
  __device__ float operator()(float x, float y, float z) const {
    return (((x + y) * z - x * 0.25f) * y + z) * (x - y);
  }
};
template <class Op, class T, class... In>
void transform(Op op, T* out, std::size_t n, cudaStream_t on, In const*... in) {
  check(cub::DeviceTransform::Transform(cuda::std::make_tuple(in...), out, n, op, on));
}

}  // namespace

namespace bench::cub_side {

void negate(float const* x, float* out, std::size_t n, cudaStream_t on) {
  transform(negative{}, out, n, on, x);
}
void negate(double const* x, double* out, std::size_t n, cudaStream_t on) {
  transform(negative{}, out, n, on, x);
}
void add(float const* x, float const* y, float* out, std::size_t n, cudaStream_t on) {
  transform(sum_of_two{}, out, n, on, x, y);
}
void add(double const* x, double const* y, double* out, std::size_t n, cudaStream_t on) {
  transform(sum_of_two{}, out, n, on, x, y);
}
void triad(float const* x, float const* y, float* out, std::size_t n, cudaStream_t on) {
  transform(triad_of{}, out, n, on, x, y);
}
void triad(double const* x, double const* y, double* out, std::size_t n, cudaStream_t on) {
  transform(triad_of{}, out, n, on, x, y);
}
void chain(float const* x, float const* y, float const* z, float* out, std::size_t n,
           cudaStream_t on) {
  transform(chain_of{}, out, n, on, x, y, z);
}
std::size_t scratch_bytes_for_sum(std::size_t n) {
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<float const*>(nullptr),
                               static_cast<float*>(nullptr), n));
  return bytes;
}
void sum(float const* x, float* out, std::size_t n, void* scratch, std::size_t bytes,
         cudaStream_t on) {
  check(cub::DeviceReduce::Sum(scratch, bytes, x, out, n, on));
}
std::size_t scratch_bytes_for_sort(std::size_t n) {
  std::size_t of_sort = 0, of_scan = 0;
  float const* const none = nullptr;
  check(cub::DeviceRadixSort::SortKeys(nullptr, of_sort, none, static_cast<float*>(nullptr), n));
  check(cub::DeviceScan::InclusiveSum(nullptr, of_scan, none, static_cast<float*>(nullptr), n));
  return std::max(of_sort, of_scan);
}
void sort(float const* x, float* out, std::size_t n, void* scratch, std::size_t bytes,
          cudaStream_t on) {
  check(cub::DeviceRadixSort::SortKeys(scratch, bytes, x, out, n, 0, 32, on));
}
std::size_t scratch_bytes_for_argsort(std::size_t n) {
  std::size_t bytes = 0;
  float const* const none = nullptr;
  int const* const no_numbers = nullptr;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, none, static_cast<float*>(nullptr),
                                        no_numbers, static_cast<int*>(nullptr), n));
  return bytes;
}
void argsort(float const* x, float* sorted, int const* numbers, int* out, std::size_t n,
             void* scratch, std::size_t bytes, cudaStream_t on) {
  check(cub::DeviceRadixSort::SortPairs(scratch, bytes, x, sorted, numbers, out, n, 0, 32, on));
}
void scan(float const* x, float* out, std::size_t n, void* scratch, std::size_t bytes,
          cudaStream_t on) {
  check(cub::DeviceScan::InclusiveSum(scratch, bytes, x, out, n, on));
}

}  // namespace bench::cub_side

namespace bench::thrust_side {

void triad(float const* x, float const* y, float* out, std::size_t n, cudaStream_t on) {
  thrust::transform(thrust::cuda::par_nosync.on(on), x, x + n, y, out, triad_of{});
}

}  // namespace bench::thrust_side
