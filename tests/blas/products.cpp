// Matrix products by the BLAS of this machine, against the library's own kernels.
#include <placement/interop/blas.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace placement;

namespace {

/// Whole numbers, whose sums are exact in any order.
template <class T> matrix<T> numbers(index_t m, index_t n) {
  tensor<T, dextents<1>> const all = iota<T>(m * n, T{});
  return reshape(all - floor(all / T{7}) * T{7} - T{3}, shape(m, n));
}

/// Forwards to the BLAS and counts the calls.
class counted final : public product_engine {
 public:
  int calls = 0;
  bool multiply(logical_device const& on, product_call const& call) override {
    ++calls;
    return blas_of_process().multiply(on, call);
  }
};

/// Checks that the BLAS computes the same as the library's own kernels.
template <class Make> void check_by_both(Make const& make) {
  static counted library;
  library.calls = 0;
  set_cpu_products(&library);
  auto const result = make();
  CHECK(library.calls == 1);
  set_cpu_products(nullptr);
  auto const expected = make();
  auto const x = result.read(), y = expected.read();
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i != x.size(); ++i) REQUIRE(x[i] == y[i]);
}
template <class T> void check_products_of() {
  matrix<T> const a = numbers<T>(40, 50), b = numbers<T>(50, 60), at = transpose(a),
                  bt = transpose(b), wide = numbers<T>(50, 90);
  tensor<T, dextents<1>> const bias = iota<T>(60, T{-30});
  check_by_both([&] { return matrix<T>(matmul(a, b)); });
  check_by_both([&] { return matrix<T>(matmul(transpose(at), b)); });
  check_by_both([&] { return matrix<T>(matmul(a, transpose(bt))); });
  check_by_both([&] { return matrix<T>(matmul(transpose(at), transpose(bt))); });
  check_by_both([&] { return matrix<T>(matmul(a, slice(wide, everything, range(3, 70)))); });
  check_by_both([&] { return matrix<T>(matmul(a, b) + bias); });
  check_by_both([&] { return matrix<T>(relu(matmul(a, b))); });
  check_by_both([&] { return matrix<T>(relu(matmul(a, b) + bias)); });
  check_by_both([&] { return matrix<T>(matmul(a, b) * T{2}); });
}
template <class T> void check_vectors_of() {
  matrix<T> const a = numbers<T>(300, 200), at = transpose(a), x = numbers<T>(200, 1),
                  xs = numbers<T>(200, 3), row = transpose(x);
  auto const column = [&] { return slice(xs, everything, range(1, 2)); };
  check_by_both([&] { return matrix<T>(matmul(a, x)); });
  check_by_both([&] { return matrix<T>(matmul(transpose(at), x)); });
  check_by_both([&] { return matrix<T>(matmul(a, column())); });
  check_by_both([&] { return matrix<T>(matmul(row, at)); });
  check_by_both([&] { return matrix<T>(matmul(row, transpose(a))); });
  check_by_both([&] { return matrix<T>(matmul(transpose(column()), at)); });
}

}  // namespace

TEST_CASE("including blas.hpp registers the BLAS") {
  CHECK(detail::cpu_products.load() == &blas_of_process());
}

TEST_CASE(
    "the BLAS multiplies matrices in each of its layouts, and the library computes the epilogue") {
  check_products_of<float>();
  check_products_of<double>();
}

TEST_CASE("the BLAS multiplies matrices and vectors") {
  check_vectors_of<float>();
  check_vectors_of<double>();
}

TEST_CASE("the BLAS multiplies each matrix of a batch") {
  tensor<double, dextents<3>> const a = reshape(numbers<double>(120, 50), shape(3, 40, 50)),
                                    b = reshape(numbers<double>(150, 60), shape(3, 50, 60));
  matrix<double> const w = numbers<double>(50, 60);
  check_by_both([&] { return tensor<double, dextents<3>>(matmul(a, b)); });
  check_by_both([&] { return tensor<double, dextents<3>>(matmul(a, w)); });
}

TEST_CASE("a product by the BLAS ignores the previous contents of its target") {
  matrix<float> const a = numbers<float>(300, 200), x = numbers<float>(200, 1);
  matrix<float> y = zeros<float>(300, 1) + std::numeric_limits<float>::quiet_NaN();
  y = matmul(a, x);
  for (float v : y.read()) REQUIRE(!std::isnan(v));
}

TEST_CASE("the BLAS gets a thread count only if it supports one") {
  CHECK(!blas_products::set_threads(0));
  bool const has_a_call = blas_products::set_threads(1);
  INFO(has_a_call);
  matrix<float> const a = numbers<float>(50, 50);
  check_by_both([&] { return matrix<float>(matmul(a, a)); });
}
