// Algorithms of CUB and Thrust in a program that uses the library, on its stream and in its memory.
// A custom op with a kernel of the program, which is a specialization at namespace scope.
// Blocks of scans, selections and sorts wait for others: a block reads what the one before it has
// summed.
#include <placement/cuda/context.cuh>
#include <placement/cuda/thrust_allocator.cuh>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

// No `using namespace placement`: nvcc's host code names the global namespace cuda without `::`.
namespace pl = placement;

namespace {

constexpr int n = 20'003;
using row = pl::tensor<int, pl::dextents<1>>;

struct is_large {
  __device__ bool operator()(int x) const { return x > 500; }
};
struct twice {
  __device__ int operator()(int x) const { return 2 * x; }
};
/// Pseudo-random numbers below 1000, many of them equal.
std::vector<int> drawn() {
  std::vector<int> all;
  for (unsigned i = 0; i != n; ++i) all.push_back(static_cast<int>((i * 2654435761u >> 8) % 1000));
  return all;
}
std::vector<int> values(row const& x) {
  auto const h = x.read();
  std::vector<int> all;
  for (std::size_t i = 0; i != x.size(); ++i) all.push_back(h[i]);
  return all;
}
/// Calls an algorithm for the size of its scratch memory, and again with memory of the library.
template <class F> void run(F const& algorithm) {
  cudaStream_t const stream =
      pl::cuda::stream_of(pl::logical(pl::gpu0));  // makes the device current, too
  std::size_t bytes = 0;
  REQUIRE(algorithm(nullptr, bytes, stream) == cudaSuccess);
  auto const words = static_cast<pl::index_t>(bytes / sizeof(int) + 1);
  row scratch = copy_to(pl::gpu0, row(pl::zeros<int>(words)));
  REQUIRE(algorithm(static_cast<void*>(scratch.data()), bytes, stream) == cudaSuccess);
}

}  // namespace

TEST_CASE("sums, selections and sorts of CUB run on the library's stream, in its memory") {
  need_hardware();
  std::vector<int> const x = drawn();
  row in = copy_to(pl::gpu0, tensor_of(x, pl::shape(n))),
      out = copy_to(pl::gpu0, row(pl::zeros<int>(n)));
  row count = copy_to(pl::gpu0, row(pl::zeros<int>(1)));
  std::vector<int> expected(n);

  run([&](void* scratch, std::size_t& bytes, cudaStream_t s) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in.data(), out.data(), n, s);
  });
  std::partial_sum(x.begin(), x.end(), expected.begin());
  CHECK(values(out) == expected);

  run([&](void* scratch, std::size_t& bytes, cudaStream_t s) {
    return cub::DeviceSelect::If(scratch, bytes, in.data(), out.data(), count.data(), n, is_large{},
                                 s);
  });
  auto const end =
      std::copy_if(x.begin(), x.end(), expected.begin(), [](int y) { return y > 500; });
  auto const large = end - expected.begin();
  CHECK(values(count)[0] == large);
  std::vector<int> const selected = values(out);
  CHECK(std::equal(expected.begin(), end, selected.begin()));

  run([&](void* scratch, std::size_t& bytes, cudaStream_t s) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in.data(), out.data(), n, 0, 32, s);
  });
  expected = x;
  std::sort(expected.begin(), expected.end());
  CHECK(values(out) == expected);
}

TEST_CASE("Thrust transforms and reduces a tensor on the library's stream, in its memory") {
  need_hardware();
  std::vector<int> const x = drawn();
  row in = copy_to(pl::gpu0, tensor_of(x, pl::shape(n)));
  pl::cuda::thrust_temporaries memory(pl::gpu0);
  auto const on = thrust::cuda::par_nosync(memory).on(pl::cuda::stream_of(pl::logical(pl::gpu0)));
  thrust::device_ptr<int> const first(in.data());
  thrust::transform(on, first, first + n, first, twice{});
  CHECK(thrust::reduce(on, first, first + n) == 2 * std::accumulate(x.begin(), x.end(), 0));
}

TEST_CASE("a vector of Thrust is in the library's memory, and a tensor borrows it") {
  need_hardware();
  std::vector<int> const x = drawn();
  using vector = thrust::device_vector<int, pl::cuda::thrust_allocator<int>>;
  vector v(n, 0, pl::cuda::thrust_allocator<int>(pl::gpu0));
  CHECK(pl::memory_stats_of(pl::gpu0).in_use >= std::size_t{n} * sizeof(int));
  thrust::copy(x.begin(), x.end(), v.begin());
  row const same = pl::borrow(thrust::raw_pointer_cast(v.data()), pl::shape(n), pl::gpu0);
  CHECK(values(same) == x);
  CHECK(v[n - 1] == x.back());
}

namespace own_ops {
/// Element i is the largest of elements 0 to i.
struct running_max_op {
  static constexpr std::string_view name = "RunningMax";
  using pattern = pl::custom;
  template <class T> static constexpr bool has_gpu_kernel = std::is_floating_point_v<T>;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(pl::dense_view<T, X> out, pl::dense_view<T const, X> in) const noexcept {
    for (pl::index_t i = 0; i != in.size(); ++i)
      out[i] = i != 0 && !(in[i] > out[i - 1]) ? out[i - 1] : in[i];
  }
};
template <pl::operand X>
auto running_max(X&& x, pl::site at = pl::site::here()) -> pl::unary<running_max_op, X> {
  return {{}, at, std::forward<X>(x)};
}
template <class T> __global__ void scan(T* out, T const* in, pl::index_t n) {
  for (pl::index_t i = 0; i != n; ++i)
    out[i] = i != 0 && !(in[i] > out[i - 1]) ? out[i - 1] : in[i];
}
template <class T>
void launch_running_max(pl::logical_device const& on, T* out, T const* in, pl::index_t n) {
  if (n != 0) scan<<<1, 1, 0, pl::cuda::stream_of(on)>>>(out, in, n);
}
}  // namespace own_ops
template <int... Archs, class T>
struct placement::kernel<pl::gpu_kernels<Archs...>, pl::custom, own_ops::running_max_op, T> {
  static constexpr bool exists = true;
  template <class Out, class In>
  static void run(pl::logical_device const& on, own_ops::running_max_op const&, Out const& out,
                  In const& in) {
    own_ops::launch_running_max(on, out.data, in.data, in.size());
  }
};

TEST_CASE("a custom op of a program runs by the program's kernel") {
  for (int const n : {0, 1, 40}) {
    row const x = tensor_of(drawn(), pl::shape(20'003));
    check_on_gpu(0, [&] {
      return pl::tensor(
          own_ops::running_max(pl::cast<float>(pl::slice(x, pl::range(0, n))) - 500.f));
    });
  }
}
