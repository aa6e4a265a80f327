// gpus: 0
// Matrix products on the CPU by a registered library: its calls, and the library's own kernels for
// what it does not compute.
#include <placement/placement.hpp>

#include <support/product_loops.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

namespace {

product_loops& use_loops() {
  static product_loops library(cpu0);  // each test has its own process
  set_cpu_products(&library);
  return library;
}

/// Whole numbers, whose sums are exact in any order.
matrix<float> numbers(index_t m, index_t n) {
  tensor<float, dextents<1>> const all = iota<float>(m * n, 0.f);
  return reshape(all - floor(all / 7.f) * 7.f - 3.f, shape(m, n));
}
/// Compares with the built-in kernels.
template <class E> void check_same(matrix<float> const& result, E const& make) {
  set_cpu_products(nullptr);
  matrix<float> const expected = make();
  auto const x = result.read(), y = expected.read();
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i != x.size(); ++i) REQUIRE(x[i] == y[i]);
}

}  // namespace

TEST_CASE("a product on the CPU is one call of the library") {
  auto& library = use_loops();
  matrix<float> const a = numbers(40, 50), b = numbers(50, 60);
  matrix<float> const c = matmul(a, b);
  REQUIRE(library.calls.size() == 1);
  product_call const& call = library.calls[0];
  CHECK((call.m == 40 && call.n == 60 && call.k == 50 && call.batch == 1));
  CHECK(call.a.data == a.data());
  CHECK(call.out == c.data());
  check_same(c, [&] { return matmul(a, b); });
}

TEST_CASE("small products do not call the library") {
  auto& library = use_loops();
  matrix<float> const a = numbers(32, 32);
  matrix<float> const c = matmul(a, a);
  CHECK(library.calls.empty());
  check_same(c, [&] { return matmul(a, a); });
}

TEST_CASE("products of static shape do not call the library") {
  auto& library = use_loops();
  tensor<float, extents<2, 2>, dev<kind::cpu, 0>> const x{{1.f, 2.f}, {3.f, 4.f}};
  tensor<float, extents<2, 2>, dev<kind::cpu, 0>> const y = matmul(x, x);
  CHECK(to_string(y) == "[[7 10]\n [15 22]]");
  CHECK(library.calls.empty());
}

TEST_CASE("the library gets transposed operands in place, and bias and relu") {
  auto& library = use_loops();
  matrix<float> const a = numbers(50, 40), b = numbers(60, 50);
  tensor<float, dextents<1>> const bias = iota<float>(60, -30.f);
  matrix<float> const c = relu(matmul(transpose(a), transpose(b)) + bias);
  REQUIRE(library.calls.size() == 1);
  CHECK((library.calls[0].a.transposed && library.calls[0].a.leading == 40));
  CHECK((library.calls[0].b.transposed && library.calls[0].b.leading == 50));
  CHECK(library.calls[0].epilogue == gemm_epilogue::bias_relu);
  CHECK(library.calls[0].bias == bias.data());
  check_same(c, [&] { return relu(matmul(transpose(a), transpose(b)) + bias); });
}

TEST_CASE("other epilogues of a library product run in a separate loop") {
  auto& library = use_loops();
  matrix<float> const a = numbers(40, 50), b = numbers(50, 60), y = numbers(40, 60);
  matrix<float> const c = matmul(a, b) * 2.f + y;
  REQUIRE(library.calls.size() == 1);
  CHECK(library.calls[0].epilogue == gemm_epilogue::nothing);
  check_same(c, [&] { return matmul(a, b) * 2.f + y; });
}

TEST_CASE("a library gets no bias that is computed, of another type, or not one row") {
  auto& library = use_loops();
  matrix<float> const a = numbers(40, 40), w = numbers(40, 40);
  tensor<float, dextents<1>> const b = iota<float>(40, -20.f);
  tensor<int, dextents<1>> const whole = cast<int>(b);
  tensor<float, dextents<0>> const one = sum(b);
  auto const check = [&](auto const& make) {
    library.calls.clear();
    set_cpu_products(&library);
    matrix<float> const c = make();
    REQUIRE(library.calls.size() == 1);
    CHECK(library.calls[0].epilogue == gemm_epilogue::nothing);
    check_same(c, make);
  };
  check([&] { return matmul(a, w) + b * 2.f; });
  check([&] { return relu(matmul(a, w) + relu(b)); });
  check([&] { return floor(b / 3.f) + matmul(a, w); });
  check([&] { return matmul(a, w) + iota<float>(40, 1.f); });
  check([&] { return matmul(a, w) + cast<float>(whole); });
  check([&] { return matmul(a, w) + reshape(b, shape(40, 1)); });
  check([&] { return matmul(a, w) + reverse(b, 0); });
  check([&] { return matmul(a, w) + one; });
  check([&] { return matmul(a, w) + w; });
}

TEST_CASE("a batch on the CPU is one call of the library") {
  auto& library = use_loops();
  tensor<float, dextents<3>> const a = reshape(numbers(120, 40), shape(3, 40, 40));
  matrix<float> const b = numbers(40, 40);
  tensor<float, dextents<3>> const c = matmul(a, b);
  REQUIRE(library.calls.size() == 1);
  CHECK((library.calls[0].batch == 3 && library.calls[0].a.step == 1600));
  CHECK(library.calls[0].b.step == 0);
  check_same(reshape(c, shape(120, 40)), [&] { return reshape(matmul(a, b), shape(120, 40)); });
}

TEST_CASE("products that the library rejects, and integers, use the built-in kernels") {
  auto& library = use_loops();
  matrix<float> const a = numbers(40, 100), b = numbers(50, 60);
  auto const half = [&] { return slice(a, everything, range(0, 100, 2)); };
  matrix<float> const strided = matmul(half(), b);
  CHECK(library.calls.empty());
  library.refuses = true;
  matrix<float> const refused = matmul(slice(a, everything, range(0, 50)), b);
  tensor<int, dextents<2>> const whole = cast<int>(b);
  tensor<int, dextents<2>> const square = matmul(transpose(whole), whole);
  CHECK(library.calls.empty());
  check_same(strided, [&] { return matmul(half(), b); });
  check_same(refused, [&] { return matmul(slice(a, everything, range(0, 50)), b); });
  check_same(cast<float>(square), [&] { return matmul(transpose(b), b); });
}
