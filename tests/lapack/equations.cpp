// solve, inverse, det and cholesky: residuals, known values, batches, views and errors.
#include <placement/lapack.hpp>
#include <placement/placement.hpp>
#include <support/linear_algebra.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <complex>
#include <limits>
#include <string>
#include <vector>

using namespace placement;
using test::adjoint;
using test::distance;
using test::few_roundings;
using test::identity_of;
using test::lapack_types;
using test::random_tensor;

namespace {

/// A matrix far from singular.
template <class T> auto regular(index_t n, unsigned seed = 1) {
  return tensor(random_tensor<T>(shape(n, n), seed) + identity_of<T>(n) * T(3));
}
template <class T> auto positive(index_t n, unsigned seed = 1) {
  auto const x = random_tensor<T>(shape(n, n), seed);
  return tensor(matmul(x, adjoint(x)) + identity_of<T>(n));
}

}  // namespace

TEST_CASE("solve and inverse leave small residuals") {
  log_lines const fallbacks;
  each<lapack_types>([]<class T>() {
    INFO(element_name<T>());
    for (index_t n : {1, 2, 3, 8, 20}) {
      INFO(n << " rows");
      auto const a = regular<T>(n);
      auto const b = random_tensor<T>(shape(n, 5), 7);
      tensor const x = solve(a, b);
      CHECK(distance(matmul(a, x), b) < few_roundings<T>());
      CHECK(distance(matmul(a, tensor(inverse(a))), identity_of<T>(n)) < few_roundings<T>());
      auto const v = random_tensor<T>(shape(n), 3);
      tensor const y = solve(a, v);
      CHECK(y.shape() == shape(n));
      CHECK(distance(matmul(a, y), v) < few_roundings<T>());
    }
  });
}
TEST_CASE("det is the product of the eigenvalues, with the sign of row exchanges") {
  tensor const exchange{{0., 1., 0.}, {0., 0., 1.}, {2., 0., 0.}};
  CHECK(item(det(exchange)) == 2);
  tensor const one_exchange{{0., 1.}, {1., 0.}};
  CHECK(item(det(one_exchange)) == -1);
  tensor const singular{{1., 2.}, {2., 4.}};
  CHECK(item(det(singular)) == 0);
  tensor<double, extents<1, 1>> const number{{-7.}};
  CHECK(item(det(number)) == -7);
  tensor<double, dextents<2>> const nothing = zeros<double>(0, 0);
  CHECK(item(det(nothing)) == 1);
  using c = std::complex<double>;
  tensor const mixed{{c(0, 1), c(2, 0)}, {c(0, 0), c(3, 1)}};
  CHECK(std::abs(item(det(mixed)) - c(-1, 3)) < 1e-15);
}
TEST_CASE("det of NaN is NaN") {
  tensor const x{{std::numeric_limits<double>::quiet_NaN(), 1.}, {1., 1.}};
  double const d = item(det(x));
  CHECK(d != d);
}
TEST_CASE("cholesky gives a lower triangle, and reads no element above the diagonal") {
  log_lines const fallbacks;
  each<lapack_types>([]<class T>() {
    INFO(element_name<T>());
    for (index_t n : {1, 2, 5, 30}) {
      auto const a = positive<T>(n);
      tensor const l = cholesky(a);
      CHECK(distance(matmul(l, adjoint(l)), a) < 10 * few_roundings<T>());
      auto only_lower = tensor(a * T(1));
      index_t nonzero = 0;
      auto const values = l.read();
      for (index_t i = 0; i != n; ++i)
        for (index_t j = i + 1; j != n; ++j) {
          nonzero += values[static_cast<std::size_t>(i * n + j)] != T{} ? 1 : 0;
          only_lower.data()[i * n + j] = T(-99);
        }
      CHECK(nonzero == 0);
      CHECK(distance(cholesky(only_lower), l) == 0);
    }
  });
}
TEST_CASE("batches are computed matrix by matrix, and broadcast") {
  auto const a = tensor(random_tensor<double>(shape(2, 3, 4, 4)) + identity_of<double>(4) * 3.);
  tensor const inverses = inverse(a);
  tensor const determinants = det(a);
  CHECK(determinants.shape() == shape(2, 3));
  auto const b = random_tensor<double>(shape(4, 2), 5);
  tensor const x = solve(a, b);
  CHECK(x.shape() == shape(2, 3, 4, 2));
  tensor const one = slice(a, 1, 2);
  CHECK(distance(slice(inverses, 1, 2), inverse(one)) == 0);
  CHECK(distance(slice(determinants, 1, 2), det(one)) == 0);
  CHECK(distance(slice(x, 1, 2), solve(one, b)) == 0);
  CHECK(distance(matmul(a, x), broadcast_to(b, shape(2, 3, 4, 2))) < 1e-13);

  auto const many = random_tensor<double>(shape(5, 1, 3, 4, 2), 9);
  tensor const y = solve(a, many);
  CHECK(y.shape() == shape(5, 2, 3, 4, 2));
  CHECK(distance(slice(y, 4, 0, 2), solve(tensor(slice(a, 0, 2)), tensor(slice(many, 4, 0, 2)))) ==
        0);
  tensor const of_vector = solve(a, tensor{1., 2., 3., 4.});
  CHECK(of_vector.shape() == shape(2, 3, 4));
}
TEST_CASE("matrices without rows, and batches without matrices, have results without elements") {
  tensor<float, dextents<2>> const nothing = zeros<float>(0, 0);
  CHECK(tensor(inverse(nothing)).shape() == shape(0, 0));
  CHECK(tensor(cholesky(nothing)).shape() == shape(0, 0));
  tensor<float, dextents<2>> const no_rows = zeros<float>(0, 3);
  CHECK(tensor(solve(nothing, no_rows)).shape() == shape(0, 3));
  tensor<float, dextents<3>> const no_matrix = zeros<float>(0, 2, 2);
  CHECK(tensor(inverse(no_matrix)).shape() == shape(0, 2, 2));
  CHECK(tensor(det(no_matrix)).shape() == shape(0));
  auto const a = regular<float>(3);
  tensor<float, dextents<2>> const no_side = zeros<float>(3, 0);
  CHECK(tensor(solve(a, no_side)).shape() == shape(3, 0));
}
TEST_CASE("operands may be views, transposed, reversed or expressions") {
  auto const a = regular<double>(6);
  auto const b = random_tensor<double>(shape(4, 6), 5);
  tensor const turned = transpose(a);
  CHECK(distance(solve(transpose(a), transpose(b)), solve(turned, tensor(transpose(b)))) == 0);
  tensor const part = slice(a, range{.step = 2}, range{.first = 0, .last = 3});
  CHECK(distance(inverse(slice(a, range{.step = 2}, range{.first = 0, .last = 3})),
                 inverse(part)) == 0);
  tensor const sum = a + 1.;
  CHECK(distance(det(a + 1.), det(sum)) == 0);
  tensor const reversed = reverse(a, 0);
  CHECK(distance(inverse(reverse(a, 0)), inverse(reversed)) == 0);
}
TEST_CASE("static extents stay static") {
  tensor<double, extents<2, 2>> const a{{2., 0.}, {0., 4.}};
  tensor<double, extents<2, 3>> const b{{2., 4., 6.}, {4., 8., 12.}};
  auto const x = solve(a, b);
  static_assert(std::is_same_v<decltype(x)::extents_type, extents<2, 3>>);
  static_assert(std::is_same_v<decltype(det(a))::extents_type, extents<>>);
  static_assert(std::is_same_v<decltype(cholesky(a))::extents_type, extents<2, 2>>);
  CHECK(distance(x, tensor{{1., 2., 3.}, {1., 2., 3.}}) == 0);
}
TEST_CASE("errors of shapes name the op, the shapes and the remedy") {
  auto const wide = random_tensor<double>(shape(2, 3));
  auto const square = regular<double>(3);
  CHECK(
      error_of("MatrixInverse", [&] { tensor const y = inverse(wide); }) ==
      "placement: inverse of shape [2, 3]: the last two extents must be equal, as the matrix is square. "
      "Use lstsq for other matrices.");
  CHECK(
      error_of("MatrixDeterminant", [&] { tensor const y = det(wide); }) ==
      "placement: det of shape [2, 3]: the last two extents must be equal, as the matrix is square. "
      "Check the shape.");
  CHECK(
      error_of("MatrixSolve", [&] { tensor const y = solve(wide, wide); }) ==
      "placement: solve of shape [2, 3]: the last two extents must be equal, as the matrix is square. "
      "Use lstsq(a, b) for other matrices.");
  CHECK(
      error_of("MatrixSolve", [&] { tensor const y = solve(square, wide); }) ==
      "placement: solve of shapes [3, 3] and [2, 3]: the right side must have as many rows as the matrix. "
      "Check the shapes.");
}
TEST_CASE("a singular matrix is an error that names it, and the result stays as it was") {
  tensor<double, dextents<3>> x = zeros<double>(3, 2, 2);
  x.data()[0] = x.data()[3] = 1;
  x.data()[4] = x.data()[5] = 1;
  tensor<double, dextents<3>> y = ones<double>(3, 2, 2);
  CHECK(
      error_of("MatrixInverse", [&] { y = inverse(x); }) ==
      "placement: inverse of shape [3, 2, 2]: the matrix is singular. Use lstsq, or add a small multiple "
      "of the identity. It is matrix 1 of 3, counted from 0.");
  CHECK(distance(y, ones<double>(3, 2, 2)) == 0);
  CHECK_THROWS_AS(tensor(solve(x, y)), linear_algebra_error);
  tensor const negative{{1., 0.}, {0., -1.}};
  CHECK(
      error_of("Cholesky", [&] { tensor const l = cholesky(negative); }) ==
      "placement: cholesky of shape [2, 2]: the matrix is not positive definite. Add a small multiple of "
      "the identity, or use eigh.");
}
TEST_CASE(
    "in a GPU scope the ops run on the CPU and say so, and their neighbours stay on the GPU") {
  auto const a = regular<double>(3);
  tensor const expected = solve(a, identity_of<double>(3));
  log_lines log;
  with_device scope("/gpu:1");
  tensor const on_gpu = a * 1.;
  tensor const x = solve(on_gpu, identity_of<double>(3)) * 2. * 0.5;
  CHECK(x.where() == device{kind::gpu, 1});
  CHECK(distance(x, expected) == 0);
  auto const lines = log.take_all();
  std::string const plan = explain(solve(on_gpu, on_gpu) * 2.);
  CHECK(plan.find("MatrixSolve<double>  [3, 3]  /CPU:0") != plan.npos);
  CHECK(plan.find("asked for /GPU:1: no GPU kernel for this op and element type") != plan.npos);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with(
      "placement: fallback: MatrixSolve<double> [3, 3] asked for /GPU:1, runs on /CPU:0: "
      "no GPU kernel for this op and element type at "));
}
