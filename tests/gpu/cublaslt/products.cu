// gpus: 0
// Matrix products by cuBLASLt on a GPU, against the CPU.
#include <placement/placement.hpp>

#include <placement/cuda/cublaslt.cuh>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <limits>

using namespace placement;

namespace {

/// The largest difference between GPU and CPU. The largest element is about 1.
template <class T, class F> double distance_on_gpu(F const& compute) {
  auto const on_device = [&](device d) {
    with_device const scope(d);
    return tensor(compute());
  };
  auto const expected = on_device(cpu0), got = on_device(gpu0);
  CHECK(got.where() == gpu0);
  auto const g = got.read(), e = expected.read();
  double max = 0;
  for (std::size_t i = 0; i != got.size(); ++i)
    max = std::fmax(max, std::fabs(static_cast<double>(g[i]) - static_cast<double>(e[i])));
  return max;
}
template <class T> void check_products(double allowed) {
  INFO("element type " << element_name<T>());
  with_device const on_host(cpu0);
  using matrix = tensor<T, dextents<2>>;
  matrix const a = plain_tensor<T>(shape(130, 257), 1) / T(64);
  matrix const b = plain_tensor<T>(shape(257, 66), 2) / T(64);
  matrix const at = transpose(a), bt = transpose(b);
  tensor<T, dextents<1>> const bias = plain_tensor<T>(shape(66), 3) / T(8);
  CHECK(distance_on_gpu<T>([&] { return matmul(a, b); }) <= allowed);
  CHECK(distance_on_gpu<T>([&] { return matmul(transpose(at), b); }) <= allowed);
  CHECK(distance_on_gpu<T>([&] { return matmul(a, transpose(bt)); }) <= allowed);
  CHECK(distance_on_gpu<T>([&] { return matmul(a, b) + bias; }) <= allowed);
  CHECK(distance_on_gpu<T>([&] { return relu(matmul(a, b) + bias); }) <= allowed);
  CHECK(distance_on_gpu<T>([&] { return relu(matmul(a, b)); }) <= allowed);
}

}  // namespace

TEST_CASE("cuBLASLt products of double match the CPU to 1e-13, and of float to 1e-5") {
  need_hardware();
  check_products<double>(1e-13);
  check_products<float>(1e-5);
}
TEST_CASE("products of f16 match the CPU to 2e-3, and of bf16 to 2e-2") {
  need_hardware();
  check_products<float16>(2e-3);
  check_products<bfloat16>(2e-2);
}
TEST_CASE("products with TF32 match the CPU to 1e-2, and are used only on request") {
  need_hardware();
  set_tensor_float_32_execution(true);
  check_products<float>(1e-2);
}
TEST_CASE("batches of products match the CPU") {
  need_hardware();
  with_device const on_host(cpu0);
  tensor<float, dextents<3>> const a = plain_tensor<float>(shape(7, 33, 65), 1) / 64.f,
                                   b = plain_tensor<float>(shape(7, 65, 31), 2) / 64.f;
  CHECK(distance_on_gpu<float>([&] { return matmul(a, b); }) <= 1e-5);
}

TEST_CASE("NaN stays NaN through a product with relu, in its row alone, as relu promises") {
  need_hardware();
  matrix<float> a = plain_tensor<float>(shape(64, 32), 1),
                b = plain_tensor<float>(shape(32, 48), 2);
  tensor<float, dextents<1>> const bias = plain_tensor<float>(shape(48), 3);
  auto const check_rows = [&](auto const& compute) {
    matrix<float> const result = on(gpu0, compute());
    auto const r = result.read();
    for (std::size_t i = 0; i != r.size(); ++i) {
      INFO("row " << i / 48 << ", column " << i % 48);
      if (i / 48 == 5) CHECK(std::isnan(r[i]));
      else CHECK(r[i] >= 0);  // not NaN
    }
  };
  {
    with_device const on_host(cpu0);
    slice(view(a), range(5, 6), everything) = std::numeric_limits<float>::quiet_NaN();
  }
  check_rows([&] { return relu(matmul(a, b)); });
  check_rows([&] { return relu(matmul(a, b) + bias); });
}
