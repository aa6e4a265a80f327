// Matrix products by the library's own kernel, against the CPU. Elements are whole numbers, so that
// every order of summation gives the same result.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>

using namespace placement;

namespace {

template <class T, class X> tensor<T, X> whole(X const& s, int seed) {
  with_device const scope(cpu0);
  return cast<T>(cast<int>(plain_tensor<float>(s, static_cast<std::uint32_t>(seed))));
}
template <class T> void check_products() {
  INFO("element type " << element_name<T>());
  for (auto [m, n, k] : {std::array<index_t, 3>{1, 1, 1},
                         {3, 5, 7},
                         {64, 64, 64},
                         {65, 129, 33},
                         {1, 300, 70},
                         {300, 1, 70},
                         {200, 100, 0}}) {
    INFO(m << " x " << k << " by " << k << " x " << n);
    auto const a = whole<T>(shape(m, k), 1), b = whole<T>(shape(k, n), 2);
    auto const at = whole<T>(shape(k, m), 3), bt = whole<T>(shape(n, k), 4);
    auto const bias = whole<T>(shape(n), 5);
    check_expression(0, [&] { return matmul(a, b); });
    check_expression(0, [&] { return matmul(transpose(at), b); });
    check_expression(0, [&] { return matmul(a, transpose(bt)); });
    check_expression(0, [&] { return relu(matmul(a, b) + bias); });
    check_expression(0, [&] { return matmul(a, b) * T(2) + T(1); });
  }
}

}  // namespace

TEST_CASE("products of float match the CPU, with bias and relu in the same kernel", "[small]") {
  need_gpu();
  check_products<float>();
}
TEST_CASE("products of double match the CPU") {
  need_gpu();
  check_products<double>();
}
TEST_CASE("a batch multiplies each pair of matrices, and broadcasts a single matrix") {
  need_gpu();
  auto const a = whole<float>(shape(5, 33, 20), 1), b = whole<float>(shape(5, 20, 17), 2);
  auto const one = whole<float>(shape(20, 17), 3);
  check_expression(0, [&] { return matmul(a, b); });
  check_expression(0, [&] { return matmul(a, one); });
}
TEST_CASE("products of integers run on the CPU, and the log says so") {
  need_gpu();
  with_device const scope(gpu0);
  tensor<int, dextents<2>> const x{{1, 2}, {3, 4}};
  tensor const y = matmul(x, x);
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[7 10]\n [15 22]]");
}
