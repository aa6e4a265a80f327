// Small products of matrices on CPU:0 are computed by one call, with the same results and effects.
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>

using namespace placement;

namespace {

template <class T> matrix<T> numbers(index_t m, index_t n, T first) {
  matrix<T> const all = reshape(iota(m * n, first), shape(m, n));
  return all - cast<T>(floor(cast<double>(all) / 7.)) * static_cast<T>(7);  // from 0 to 6
}

/// Whether the product equals that of an expression that takes the general path.
template <class T> bool equals_general_path(index_t m, index_t k, index_t n) {
  matrix<T> const a = numbers<T>(m, k, T{1}), b = numbers<T>(k, n, T{5});
  matrix<T> const x = matmul(a, b);
  tensor<T, dextents<3>> const y = matmul(expand_dims(a, 0), expand_dims(b, 0));
  return x.shape() == shape(m, n) && to_string(x) == to_string(matrix<T>(squeeze(y, 0)));
}

}  // namespace

TEST_CASE("products of any small extents equal those of the general path") {
  with_device const scope("/cpu:0");
  for (index_t m : {0, 1, 2, 5, 33})
    for (index_t k : {0, 1, 3, 32})
      for (index_t n : {0, 1, 2, 9, 40}) {
        INFO(m << " x " << k << " x " << n);
        CHECK(equals_general_path<float>(m, k, n));
        CHECK(equals_general_path<double>(m, k, n));
      }
}

TEST_CASE("a product overwrites its target's memory if nobody else reads it") {
  with_device const scope("/cpu:0");
  matrix<float> const a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}, b{{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}};
  matrix<float> x = matmul(a, b);
  CHECK(to_string(x) == "[[22 28]\n [49 64]]");
  float const* const at = std::as_const(x).data();
  x = matmul(a, b * 1.f);  // the general path
  x = matmul(a, b);
  CHECK(std::as_const(x).data() == at);
  matrix<float> const shared = x;
  x = matmul(a * 1.f, b);
  CHECK(to_string(shared) == "[[22 28]\n [49 64]]");
  matrix<float> const kept = x;
  x = matmul(a, b);
  CHECK(std::as_const(x).data() != std::as_const(kept).data());
}

TEST_CASE("a product of a matrix with itself is right in its own tensor") {
  with_device const scope("/cpu:0");
  matrix<float> x{{1.f, 2.f}, {3.f, 4.f}};
  x = matmul(x, x);
  CHECK(to_string(x) == "[[7 10]\n [15 22]]");
  matrix<float> const y{{0.f, 1.f}, {1.f, 0.f}};
  x = matmul(std::move(x), y);
  CHECK(to_string(x) == "[[10 7]\n [22 15]]");
  x = matmul(y, std::move(x));
  CHECK(to_string(x) == "[[22 15]\n [10 7]]");
}

TEST_CASE("a tensor of another shape gets the shape of the product") {
  with_device const scope("/cpu:0");
  matrix<float> x{{1.f, 2.f, 3.f}};
  matrix<float> const a{{1.f, 2.f}, {3.f, 4.f}};
  x = matmul(a, a);
  CHECK(to_string(x) == "[[7 10]\n [15 22]]");
  CHECK_THROWS_AS(x = matmul(a, matrix<float>({{1.f, 2.f}})), shape_error);
  CHECK(to_string(x) == "[[7 10]\n [15 22]]");
}

TEST_CASE("a small product is logged, and runs on the device of its scope") {
  {
    with_device const scope("/cpu:0", log_level::all);
    log_lines log;
    matrix<float> const b{{1.f, 2.f}, {3.f, 4.f}};
    log.take_all();
    matrix<float> const x = matmul(b, b);
    lines_of const lines = log.take_all();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("MatMul") != std::string::npos);
  }
  matrix<float> const a{{1.f, 2.f}, {3.f, 4.f}};
  with_device const scope("/gpu:1");
  matrix<float> const x = matmul(a, a);
  CHECK(x.where() == device{kind::gpu, 1});
  matrix<float> const y = on(cpu0, matmul(a, a));
  CHECK(y.where() == cpu0);
  CHECK(to_string(x) == to_string(y));
}

TEST_CASE("a small product that replaces a value allocates nothing") {
  with_device const scope("/cpu:0");
  matrix<float> const a{{1.f, 2.f}, {3.f, 4.f}};
  matrix<float> x = matmul(a, a);
  CHECK(heap_allocations([&] { x = matmul(a, a); }) == 0);
  CHECK(heap_allocations([&] { matrix<float> const y = matmul(a, a); }) == 1);
}

TEST_CASE("operands in external memory give the same product") {
  with_device const scope("/cpu:0");
  alignas(64) float memory[4] = {1, 2, 3, 4};
  matrix<float> const a = borrow(memory, shape(2, 2));
  matrix<float> const b{{1.f, 2.f}, {3.f, 4.f}};
  matrix<float> x = matmul(a, b);
  CHECK(to_string(x) == "[[7 10]\n [15 22]]");
  x = matmul(b, a);
  CHECK(to_string(x) == "[[7 10]\n [15 22]]");
}
