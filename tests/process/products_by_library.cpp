// gpus: 0
// Matrix products by a registered library, on GPUs that count as hardware: its calls, and the
// built-in kernels for what it does not compute.
struct emulated_kernels;
#define PLACEMENT_KERNELS_HERE placement::kernel_set<placement::cpu_kernels, emulated_kernels>

#include <placement/placement.hpp>

#include <support/emulated_kernels.hpp>
#include <support/hardware_platform.hpp>
#include <support/log_lines.hpp>
#include <support/product_loops.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace placement;

namespace {

product_loops& use_loops() {
  use_hardware_gpus(1);
  static product_loops library(gpu0);  // each test has its own process
  set_gpu_products(&library);
  return library;
}

using cube = tensor<float, dextents<3>>;
matrix<float> numbers(index_t m, index_t n) {
  return reshape(iota<float>(m * n, -20.f) - floor(iota<float>(m * n, 0.f) / 7.f) * 5.f,
                 shape(m, n));
}
/// Compares with the CPU.
template <class E> void check_same(matrix<float> const& result, E const& make) {
  CHECK(result.where() == gpu0);
  set_gpu_products(nullptr);
  matrix<float> const expected = on(cpu0, make());
  auto const x = result.read(), y = expected.read();
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i != x.size(); ++i) REQUIRE(x[i] == y[i]);
}

}  // namespace

TEST_CASE("a product is one call of the library") {
  auto& library = use_loops();
  matrix<float> const a = numbers(3, 4), b = numbers(4, 5);
  matrix<float> const c = matmul(a, b);
  REQUIRE(library.calls.size() == 1);
  product_call const& call = library.calls[0];
  CHECK((call.m == 3 && call.n == 5 && call.k == 4 && call.batch == 1));
  CHECK((call.a.leading == 4 && call.b.leading == 5 && !call.a.transposed && !call.b.transposed));
  CHECK(call.epilogue == gemm_epilogue::nothing);
  check_same(c, [&] { return matmul(a, b); });
}

TEST_CASE("products of 16-bit floats call the library, too") {
  auto& library = use_loops();
  auto const check = [&]<class T>(product_element element) {
    library.calls.clear();
    set_gpu_products(&library);
    tensor const a{{T(1), T(2)}, {T(3), T(4)}};
    tensor<T, dextents<2>> const c = relu(matmul(a, a) + tensor{T(-8), T(1)});
    REQUIRE(library.calls.size() == 1);
    CHECK(library.calls[0].element == element);
    CHECK(library.calls[0].epilogue == gemm_epilogue::bias_relu);
    CHECK(to_string(c) == "[[0 11]\n [7 23]]");
  };
  check.operator()<float16>(product_element::f16);
  check.operator()<bfloat16>(product_element::bf16);
}

TEST_CASE("transposed and sliced operands are not copied") {
  auto& library = use_loops();
  matrix<float> const a = numbers(4, 3), b = numbers(5, 4), wide = numbers(4, 9);
  matrix<float> const c = matmul(transpose(a), transpose(b));
  REQUIRE(library.calls.size() == 1);
  CHECK((library.calls[0].a.transposed && library.calls[0].a.leading == 3));
  CHECK((library.calls[0].b.transposed && library.calls[0].b.leading == 4));
  CHECK(library.calls[0].a.data == a.data());
  matrix<float> const d = matmul(transpose(a), slice(wide, everything, range(2, 7)));
  REQUIRE(library.calls.size() == 2);
  CHECK((library.calls[1].b.leading == 9 && library.calls[1].n == 5));
  CHECK(library.calls[1].b.data == wide.data() + 2);
  check_same(d, [&] { return matmul(transpose(a), slice(wide, everything, range(2, 7))); });
  check_same(c, [&] { return matmul(transpose(a), transpose(b)); });
}

TEST_CASE("bias and relu are part of the call, in whatever order they are added") {
  auto& library = use_loops();
  matrix<float> const x = numbers(6, 4), w = numbers(4, 5);
  tensor<float, dextents<1>> const b = iota<float>(5, -2.f);
  matrix<float> const with_bias = matmul(x, w) + b;
  matrix<float> const bias_first = b + matmul(x, w);
  matrix<float> const rectified = relu(matmul(x, w));
  matrix<float> const layer = relu(matmul(x, w) + b);
  REQUIRE(library.calls.size() == 4);
  CHECK(library.calls[0].epilogue == gemm_epilogue::bias);
  CHECK(library.calls[0].bias == b.data());
  CHECK(library.calls[1].epilogue == gemm_epilogue::bias);
  CHECK(library.calls[2].epilogue == gemm_epilogue::relu);
  CHECK(library.calls[3].epilogue == gemm_epilogue::bias_relu);
  check_same(layer, [&] { return relu(matmul(x, w) + b); });
  check_same(rectified, [&] { return relu(matmul(x, w)); });
  check_same(with_bias, [&] { return matmul(x, w) + b; });
  check_same(bias_first, [&] { return b + matmul(x, w); });
}

TEST_CASE("other epilogues of a product are a separate kernel, with the same result") {
  auto& library = use_loops();
  matrix<float> const x = numbers(6, 4), w = numbers(4, 5), y = numbers(6, 5);
  tensor<float, dextents<2>> const column = numbers(6, 1);
  matrix<float> const sum = matmul(x, w) + y;        // a matrix is not a bias
  matrix<float> const rows = matmul(x, w) + column;  // a column is not a bias either
  matrix<float> const scaled = relu(matmul(x, w) * 2.f + y);
  matrix<float> const twice = relu(matmul(x, w)) * matmul(x, w);
  REQUIRE(library.calls.size() == 5);
  for (product_call const& c : library.calls) CHECK(c.epilogue == gemm_epilogue::nothing);
  check_same(twice, [&] { return relu(matmul(x, w)) * matmul(x, w); });
  check_same(sum, [&] { return matmul(x, w) + y; });
  check_same(rows, [&] { return matmul(x, w) + column; });
  check_same(scaled, [&] { return relu(matmul(x, w) * 2.f + y); });
}

TEST_CASE("a batch is one call, or one for each step of the outer dimensions") {
  auto& library = use_loops();
  cube const a = reshape(numbers(6, 4), shape(2, 3, 4)), b = reshape(numbers(8, 5), shape(2, 4, 5));
  cube const c = matmul(a, b);
  REQUIRE(library.calls.size() == 1);
  CHECK((library.calls[0].batch == 2 && library.calls[0].a.step == 12 &&
         library.calls[0].b.step == 20));
  matrix<float> const w = numbers(4, 5);
  cube const shared = matmul(a, w);
  REQUIRE(library.calls.size() == 2);
  CHECK(library.calls[1].b.step == 0);
  auto const many = reshape(numbers(18, 4), shape(3, 2, 3, 4));
  tensor const d = matmul(many, b);
  CHECK(library.calls.size() == 5);
  check_same(reshape(d, shape(18, 5)), [&] { return reshape(matmul(many, b), shape(18, 5)); });
  check_same(reshape(shared, shape(6, 5)), [&] { return reshape(matmul(a, w), shape(6, 5)); });
  check_same(reshape(c, shape(6, 5)), [&] { return reshape(matmul(a, b), shape(6, 5)); });
}

TEST_CASE("products that the library rejects or does not support use the built-in kernel") {
  auto& library = use_loops();
  matrix<float> const a = numbers(3, 8), b = numbers(4, 5), empty = numbers(3, 0),
                      none = numbers(0, 5);
  matrix<float> const strided = matmul(slice(a, everything, range(0, 8, 2)), b);
  matrix<float> const zero = matmul(empty, none);
  CHECK(library.calls.empty());
  library.refuses = true;
  matrix<float> const refused = matmul(slice(a, everything, range(0, 4)), b);
  CHECK(library.calls.empty());
  check_same(strided, [&] { return matmul(slice(a, everything, range(0, 8, 2)), b); });
  check_same(zero, [&] { return matmul(empty, none); });
  check_same(refused, [&] { return matmul(slice(a, everything, range(0, 4)), b); });
}
