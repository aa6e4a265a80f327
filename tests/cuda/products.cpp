// gpus: 0
// Products by cuBLASLt. A fake library with its functions computes what the documentation says of
// the arguments, over the memory of the fake driver.
struct emulated_kernels;
#define PLACEMENT_KERNELS_HERE placement::kernel_set<placement::cpu_kernels, emulated_kernels>

#include <placement/placement.hpp>

#include "fake/use_fake.hpp"

#include <support/emulated_kernels.hpp>
#include <support/log_lines.hpp>

#include <placement/cuda/cublaslt.cuh>
#include <placement/interop/graph.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace placement;

struct fake_cublaslt {
  int heuristics, products;
  cublasComputeType_t compute;
  std::size_t workspace;
  cublasStatus_t status;
  std::uint32_t left, right, result;
  void* last_workspace;
};
extern "C" fake_cublaslt* fake_cublaslt_control();

namespace {

/// Whole numbers in a matrix on the GPU.
template <class T> matrix<T> numbers(index_t m, index_t n, T first = -7) {
  with_device const scope(cpu<0>);
  matrix<T> const x =
      reshape(cast<T>(iota<std::int64_t>(m * n, 0) % std::int64_t{11}) + first, shape(m, n));
  return copy_to("/gpu:0", x);
}
template <class T, class X> tensor<T, X> on_host(tensor<T, X> const& x) {
  return copy_to("/cpu:0", x);
}
template <class X, class Y> void check_same(X const& result, Y const& expected) {
  CHECK(result.where() == gpu0);
  CHECK(to_string(result, 100) == to_string(expected, 100));
}

}  // namespace

TEST_CASE("products in every layout match the CPU") {
  use_fake_gpus();
  auto const check_for = [&]<class T>(T) {
    matrix<T> const a = numbers<T>(3, 4), b = numbers<T>(4, 5), at = numbers<T>(4, 3),
                    bt = numbers<T>(5, 4), wide = numbers<T>(4, 9);
    auto const ha = on_host(a), hb = on_host(b), hat = on_host(at), hbt = on_host(bt),
               hw = on_host(wide);
    matrix<T> const plain = on(gpu0, matmul(a, b));
    matrix<T> const left = on(gpu0, matmul(transpose(at), b));
    matrix<T> const right = on(gpu0, matmul(a, transpose(bt)));
    matrix<T> const both = on(gpu0, matmul(transpose(at), transpose(bt)));
    matrix<T> const part = on(gpu0, matmul(a, slice(wide, everything, range(2, 7))));
    matrix<T> const row = on(gpu0, matmul(slice(a, range(1, 2), everything), b));
    matrix<T> const column = on(gpu0, matmul(a, slice(b, everything, range(1, 2))));
    CHECK(fake_cublaslt_control()->products == 7);
    fake_cublaslt_control()->products = 0;
    with_device const scope(cpu<0>);
    check_same(plain, matrix<T>(matmul(ha, hb)));
    check_same(left, matrix<T>(matmul(transpose(hat), hb)));
    check_same(right, matrix<T>(matmul(ha, transpose(hbt))));
    check_same(both, matrix<T>(matmul(transpose(hat), transpose(hbt))));
    check_same(part, matrix<T>(matmul(ha, slice(hw, everything, range(2, 7)))));
    check_same(row, matrix<T>(matmul(slice(ha, range(1, 2), everything), hb)));
    check_same(column, matrix<T>(matmul(ha, slice(hb, everything, range(1, 2)))));
  };
  check_for(float{});
  check_for(double{});
}

TEST_CASE("a dense layer of float is one product") {
  use_fake_gpus();
  matrix<float> const x = numbers<float>(6, 4), w = numbers<float>(4, 5);
  tensor<float, dextents<1>> const bias = reshape(numbers<float>(1, 5), shape(5));
  matrix<float> const layer = on(gpu0, relu(matmul(x, w) + bias));
  CHECK(fake_cublaslt_control()->products == 1);
  check_same(layer, matrix<float>(on(cpu0, relu(matmul(on_host(x), on_host(w)) + on_host(bias)))));
}

TEST_CASE("products of 16 bits, with bias and relu too, are summed in float and rounded once") {
  use_fake_gpus();
  auto const check_for = [&]<class T>(T) {
    INFO("element type " << element_name<T>());
    matrix<T> const a = numbers<T>(3, 300, T(-3)), b = numbers<T>(300, 5, T(-4));
    tensor<T, dextents<1>> const bias = reshape(numbers<T>(1, 5, T(-7)), shape(5));
    fake_cublaslt_control()->products = 0;
    matrix<T> const plain = on(gpu0, matmul(a, b));
    matrix<T> const layer = on(gpu0, relu(matmul(a, b) + bias));
    CHECK(fake_cublaslt_control()->products == 2);
    CHECK(fake_cublaslt_control()->compute == CUBLAS_COMPUTE_32F);
    with_device const scope(cpu<0>);
    auto const sum = matmul(cast<float>(on_host(a)), cast<float>(on_host(b)));
    check_same(plain, matrix<T>(cast<T>(sum)));
    check_same(layer, matrix<T>(cast<T>(relu(sum + cast<float>(on_host(bias))))));
  };
  check_for(float16{});
  check_for(bfloat16{});
}

TEST_CASE("a batch is one call, and a broadcast operand is not copied") {
  use_fake_gpus();
  tensor const a = reshape(numbers<float>(6, 4), shape(2, 3, 4));
  tensor<float, dextents<3>> const on_gpu = copy_to("/gpu:0", tensor<float, dextents<3>>(a));
  matrix<float> const w = numbers<float>(4, 5);
  tensor<float, dextents<3>> const c = on(gpu0, matmul(on_gpu, w));
  CHECK(fake_cublaslt_control()->products == 1);
  check_same(c, tensor<float, dextents<3>>(on(cpu0, matmul(on_host(on_gpu), on_host(w)))));
}

TEST_CASE("the heuristic runs once per kind of product, and the workspace is released") {
  use_fake_gpus();
  matrix<float> const a = numbers<float>(3, 4), b = numbers<float>(4, 5);
  std::size_t const before = memory_stats_of(gpu0).in_use;
  matrix<float> c = on(gpu0, matmul(a, b));
  std::size_t const with_result = memory_stats_of(gpu0).in_use;
  for (int i = 0; i != 5; ++i) c = on(gpu0, matmul(a, b));
  CHECK(fake_cublaslt_control()->heuristics == 1);
  CHECK(fake_cublaslt_control()->products == 6);
  CHECK(memory_stats_of(gpu0).in_use == with_result);
  CHECK(memory_stats_of(gpu0).peak >= before + fake_cublaslt_control()->workspace);
  matrix<float> const d = on(gpu0, matmul(transpose(b), transpose(a)));
  CHECK(fake_cublaslt_control()->heuristics == 2);
}

TEST_CASE("float products are exact unless TF32 is requested") {
  use_fake_gpus();
  matrix<float> const a = numbers<float>(3, 4), b = numbers<float>(4, 5);
  matrix<float> const c = on(gpu0, matmul(a, b));
  CHECK(fake_cublaslt_control()->compute == CUBLAS_COMPUTE_32F);
  {
    with_device const scope(gpu<0>, tensor_float_32{});
    matrix<float> const d = matmul(a, b);
    CHECK(fake_cublaslt_control()->compute == CUBLAS_COMPUTE_32F_FAST_TF32);
  }
  matrix<float> const e = on(gpu0, matmul(a, b));
  CHECK(fake_cublaslt_control()->compute == CUBLAS_COMPUTE_32F);
  set_tensor_float_32_execution(true);
  matrix<float> const f = on(gpu0, matmul(a, b));
  CHECK(fake_cublaslt_control()->compute == CUBLAS_COMPUTE_32F_FAST_TF32);
}

TEST_CASE("the error of a failed product names it, and the program can go on") {
  use_fake_gpus();
  matrix<float> const a = numbers<float>(3, 4), b = numbers<float>(4, 5);
  matrix<float> c = on(gpu0, matmul(a, b));
  fake_cublaslt_control()->status = CUBLAS_STATUS_EXECUTION_FAILED;
  CHECK(error_message<placement_error>([&] { c = on(gpu0, matmul(a, b)); }) ==
        "placement: cublasLtMatmul on /GPU:0 failed: CUBLAS_STATUS_EXECUTION_FAILED (as the test "
        "wanted). Products can go on without cuBLASLt: set_gpu_products(nullptr).");
  fake_cublaslt_control()->status = CUBLAS_STATUS_SUCCESS;
  c = on(gpu0, matmul(a, b) * 1.f);
  CHECK(c.where() == gpu0);
}

TEST_CASE("all products of a recording share one workspace, which lives as long as it") {
  fake_cuda& driver = use_fake_gpus();
  matrix<float> const a = numbers<float>(3, 4), b = numbers<float>(4, 5), w = numbers<float>(5, 3);
  matrix<float> ab = numbers<float>(3, 5), abw = numbers<float>(3, 3);
  std::size_t const before = memory_stats_of(gpu0).in_use;
  std::size_t const small = fake_cublaslt_control()->workspace, large = 2 * small;
  {
    std::size_t in_first = 0;
    graph both = capture(gpu0, [&] {
      ab = matmul(a, b);
      void* const first = fake_cublaslt_control()->last_workspace;
      in_first = memory_stats_of(gpu0).in_use;
      for (int i = 0; i != 10; ++i) ab = matmul(a, b);
      CHECK(fake_cublaslt_control()->last_workspace == first);
      CHECK(memory_stats_of(gpu0).in_use == in_first);
      fake_cublaslt_control()->workspace = large;
      for (int i = 0; i != 10; ++i) abw = matmul(ab, w);
    });
    CHECK(in_first == before + small);
    CHECK(memory_stats_of(gpu0).in_use == in_first + large);
    both.replay();
    check_same(abw, matrix<float>(on(cpu0, matmul(matmul(on_host(a), on_host(b)), on_host(w)))));
  }
  CHECK(memory_stats_of(gpu0).in_use == before);
  CHECK(driver.misuse.empty());
}

TEST_CASE("the alignment of a batch is that of each of its matrices, not of the first one alone") {
  use_fake_gpus();
  using batch = tensor<float, dextents<3>>;
  auto const make = [](index_t m, index_t n) {
    batch const x = on(cpu0, reshape(iota<float>(2 * m * n, 0.f), shape(2, m, n)));
    return copy_to("/gpu:0", x);
  };
  batch const a = make(3, 5), b = make(5, 8);  // matrices of 60 and 160 bytes
  batch const c = on(gpu0, matmul(a, b));      // of 96 bytes
  fake_cublaslt const& got = *fake_cublaslt_control();
  CHECK(got.left == 32);  // cuBLASLt computes the transpose, from b and a
  CHECK(got.right == 4);
  CHECK(got.result == 32);
  matrix<float> const single = on(gpu0, matmul(numbers<float>(3, 5), numbers<float>(5, 8)));
  CHECK(got.left == 256);
  CHECK(got.right == 256);
  CHECK(got.result == 256);
}
