// qr, svd, eigh and lstsq: products of the factors, orthonormal columns, known values and errors.
#include <placement/lapack.hpp>
#include <placement/placement.hpp>
#include <support/linear_algebra.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

using namespace placement;
using test::adjoint;
using test::distance;
using test::few_roundings;
using test::identity_of;
using test::lapack_types;
using test::random_tensor;

namespace {

std::vector<std::pair<index_t, index_t>> const sizes{{1, 1}, {1, 4}, {4, 1},
                                                     {3, 3}, {7, 4}, {4, 7}};

/// s as a matrix of T, m x n, with s on its diagonal.
template <class T, class S> auto diagonal_matrix(S const& s, index_t m, index_t n) {
  tensor<T, dextents<2>> d = zeros<T>(m, n);
  auto const values = s.read();
  for (index_t i = 0; i != std::min(m, n); ++i)
    d.data()[i * n + i] = values[static_cast<std::size_t>(i)];
  return d;
}
template <class X> bool has_orthonormal_columns(X const& x) {
  using T = typename X::value_type;
  return distance(matmul(adjoint(x), x), identity_of<T>(x.shape().at(1))) < few_roundings<T>();
}
template <class R> index_t nonzero_below_diagonal(R const& r) {
  auto const values = r.read();
  index_t count = 0;
  for (index_t i = 0; i != r.shape().at(0); ++i)
    for (index_t j = 0; j != std::min(i, r.shape().at(1)); ++j)
      count += values[static_cast<std::size_t>(i * r.shape().at(1) + j)] != 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("q has orthonormal columns, r is a triangle, and their product is the matrix") {
  log_lines const fallbacks;
  each<lapack_types>([]<class T>() {
    INFO(element_name<T>());
    for (auto const& [m, n] : sizes) {
      INFO(m << " x " << n);
      auto const x = random_tensor<T>(shape(m, n));
      auto const [q, r] = qr(x);
      CHECK(q.shape() == shape(m, std::min(m, n)));
      CHECK(r.shape() == shape(std::min(m, n), n));
      CHECK(has_orthonormal_columns(q));
      CHECK(distance(matmul(q, r), x) < few_roundings<T>());
      auto const [whole_q, whole_r] = qr(x, complete_factors);
      CHECK(whole_q.shape() == shape(m, m));
      CHECK(whole_r.shape() == shape(m, n));
      CHECK(has_orthonormal_columns(whole_q));
      CHECK(distance(matmul(whole_q, whole_r), x) < few_roundings<T>());
      CHECK(nonzero_below_diagonal(tensor(abs(r))) == 0);
      CHECK(nonzero_below_diagonal(tensor(abs(whole_r))) == 0);
    }
  });
}
TEST_CASE("u and vh are orthonormal, s descends, and their product is the matrix") {
  log_lines const fallbacks;
  each<lapack_types>([]<class T>() {
    INFO(element_name<T>());
    for (auto const& [m, n] : sizes) {
      INFO(m << " x " << n);
      auto const x = random_tensor<T>(shape(m, n));
      index_t const k = std::min(m, n);
      auto const [u, s, vh] = svd(x);
      CHECK(u.shape() == shape(m, m));
      CHECK(vh.shape() == shape(n, n));
      CHECK(has_orthonormal_columns(u));
      CHECK(has_orthonormal_columns(adjoint(vh)));
      CHECK(distance(matmul(matmul(u, diagonal_matrix<T>(s, m, n)), vh), x) < few_roundings<T>());
      auto const small = svd(x, reduced_factors);
      CHECK(small.u.shape() == shape(m, k));
      CHECK(small.vh.shape() == shape(k, n));
      CHECK(has_orthonormal_columns(small.u));
      CHECK(distance(matmul(matmul(small.u, diagonal_matrix<T>(small.s, k, k)), small.vh), x) <
            few_roundings<T>());
      CHECK(distance(svdvals(x), s) < few_roundings<T>());
      auto const values = s.read();
      CHECK(std::is_sorted(values.begin(), values.end(), std::greater<>{}));
      CHECK(values[values.size() - 1] >= 0);
    }
  });
}
TEST_CASE("eigh gives ascending eigenvalues with orthonormal eigenvectors") {
  log_lines const fallbacks;
  each<lapack_types>([]<class T>() {
    INFO(element_name<T>());
    for (index_t n : {1, 2, 5, 12}) {
      auto const x = random_tensor<T>(shape(n, n));
      tensor const a = x + adjoint(x);
      auto const [w, v] = eigh(a);
      CHECK(has_orthonormal_columns(v));
      CHECK(distance(matmul(a, v), matmul(v, diagonal_matrix<T>(w, n, n))) < few_roundings<T>());
      auto const values = w.read();
      CHECK(std::is_sorted(values.begin(), values.end()));
      CHECK(distance(eigvalsh(a), w) < few_roundings<T>());
    }
  });
}
TEST_CASE("eigh and eigvalsh read the lower triangle only") {
  tensor const a{{2., 77.}, {1., 2.}};
  CHECK(distance(eigh(a).eigenvalues, tensor{1., 3.}) < 1e-15);
  CHECK(distance(eigvalsh(a), tensor{1., 3.}) < 1e-15);
}
TEST_CASE("factors of a batch are those of its matrices") {
  auto const x = random_tensor<double>(shape(2, 3, 5, 4));
  auto const [q, r] = qr(x);
  auto const [u, s, vh] = svd(x, reduced_factors);
  auto const squares = tensor(matmul(transpose(x), x));
  auto const [w, v] = eigh(squares);
  tensor const one = slice(x, 1, 2);
  CHECK(distance(slice(q, 1, 2), qr(one).q) == 0);
  CHECK(distance(slice(r, 1, 2), qr(one).r) == 0);
  CHECK(distance(slice(u, 1, 2), svd(one, reduced_factors).u) == 0);
  CHECK(distance(slice(s, 1, 2), svd(one, reduced_factors).s) == 0);
  CHECK(distance(slice(vh, 1, 2), svd(one, reduced_factors).vh) == 0);
  CHECK(distance(slice(w, 1, 2), eigh(tensor(slice(squares, 1, 2))).eigenvalues) == 0);
  CHECK(distance(slice(v, 1, 2), eigh(tensor(slice(squares, 1, 2))).eigenvectors) == 0);
}
TEST_CASE("factors of matrices without rows or columns") {
  tensor<double, dextents<2>> const no_columns = zeros<double>(3, 0);
  tensor<double, dextents<2>> const no_rows = zeros<double>(0, 3);
  CHECK(qr(no_columns).q.shape() == shape(3, 0));
  CHECK(distance(qr(no_columns, complete_factors).q, identity_of<double>(3)) == 0);
  CHECK(qr(no_rows).r.shape() == shape(0, 3));
  CHECK(distance(svd(no_columns).u, identity_of<double>(3)) == 0);
  CHECK(distance(svd(no_rows).vh, identity_of<double>(3)) == 0);
  CHECK(svd(no_rows).s.shape() == shape(0));
  tensor<double, dextents<2>> const nothing = zeros<double>(0, 0);
  CHECK(eigh(nothing).eigenvalues.shape() == shape(0));
  CHECK(tensor(svdvals(no_rows)).shape() == shape(0));
}
TEST_CASE("operands of factors may be views") {
  auto const x = random_tensor<double>(shape(4, 6));
  tensor const turned = transpose(x);
  CHECK(distance(qr(transpose(x)).r, qr(turned).r) == 0);
  CHECK(distance(svd(transpose(x) * 2.).s, svd(tensor(turned * 2.)).s) == 0);
  tensor const part = slice(x, range{.step = 2}, range{.step = -2});
  CHECK(distance(qr(slice(x, range{.step = 2}, range{.step = -2})).q, qr(part).q) == 0);
}
TEST_CASE("static extents of factors stay static") {
  tensor<double, extents<3, 2>> const x{{1., 2.}, {3., 4.}, {5., 6.}};
  auto const f = qr(x);
  static_assert(std::is_same_v<decltype(f.q)::extents_type, extents<3, 2>>);
  static_assert(std::is_same_v<decltype(f.r)::extents_type, extents<2, 2>>);
  auto const g = svd(x);
  static_assert(std::is_same_v<decltype(g.u)::extents_type, extents<3, 3>>);
  static_assert(std::is_same_v<decltype(g.s)::extents_type, extents<2>>);
  CHECK(distance(matmul(f.q, f.r), x) < 1e-14);
  CHECK(g.u.shape() == shape(3, 3));
}
TEST_CASE("lstsq solves the normal equations, and its residuals are squared lengths") {
  log_lines const fallbacks;
  each<lapack_types>([]<class T>() {
    INFO(element_name<T>());
    auto const a = random_tensor<T>(shape(9, 4));
    auto const b = random_tensor<T>(shape(9, 3), 5);
    auto const f = lstsq(a, b);
    CHECK(f.rank == 4);
    CHECK(f.x.shape() == shape(4, 3));
    CHECK(distance(matmul(adjoint(a), tensor(matmul(a, f.x) - b)), zeros<T>(4, 3)) <
          few_roundings<T>());
    tensor const difference = abs(tensor(matmul(a, f.x) - b));
    CHECK(distance(f.residuals, sum(square(difference), 0)) < few_roundings<T>());
    CHECK(distance(f.s, svdvals(a)) < few_roundings<T>());
  });
}
TEST_CASE("lstsq of a vector, of more columns than rows, and of a lower rank") {
  tensor const a{{1., 0.}, {1., 1.}, {1., 2.}};
  auto const line = lstsq(a, tensor{1., 3., 5.});
  CHECK(distance(line.x, tensor{1., 2.}) < 1e-14);
  CHECK(line.residuals.shape() == shape(1));
  tensor const wide{{1., 1., 0.}};
  auto const shortest = lstsq(wide, tensor{2.});
  CHECK(distance(shortest.x, tensor{1., 1., 0.}) < 1e-14);
  CHECK(shortest.residuals.shape() == shape(0));
  tensor const rank_1{{1., 2.}, {2., 4.}, {3., 6.}};
  auto const f = lstsq(rank_1, tensor{5., 10., 15.});
  CHECK(f.rank == 1);
  CHECK(f.residuals.shape() == shape(0));
  CHECK(distance(f.x, tensor{1., 2.}) < 1e-14);
}
TEST_CASE("lstsq counts singular values up to rcond times the largest as 0") {
  tensor const a{{1., 0.}, {0., 0.01}};
  tensor const b{1., 1.};
  CHECK(lstsq(a, b).rank == 2);
  CHECK(lstsq(a, b, 0.1).rank == 1);
  CHECK(distance(lstsq(a, b, 0.1).x, tensor{1., 0.}) < 1e-14);
}
TEST_CASE("lstsq without equations, and without unknowns") {
  tensor<double, dextents<2>> const no_equation = zeros<double>(0, 2);
  tensor<double, dextents<2>> const no_side = zeros<double>(0, 3);
  CHECK(distance(lstsq(no_equation, no_side).x, zeros<double>(2, 3)) == 0);
  CHECK(lstsq(no_equation, no_side).rank == 0);
  tensor<double, dextents<2>> const no_unknown = zeros<double>(2, 0);
  auto const f = lstsq(no_unknown, tensor{{3.}, {4.}});
  CHECK(f.x.shape() == shape(0, 1));
  CHECK(distance(f.residuals, tensor{25.}) == 0);
}
TEST_CASE("errors of factors name the op and the shapes") {
  auto const wide = random_tensor<double>(shape(2, 3));
  CHECK(
      error_of("SelfAdjointEigV2", [&] { static_cast<void>(eigh(wide)); }) ==
      "placement: eigh of shape [2, 3]: the last two extents must be equal, as the matrix is square. "
      "Check the shape.");
  CHECK(
      error_of("MatrixSolveLs", [&] { static_cast<void>(lstsq(wide, tensor{1., 2., 3.})); }) ==
      "placement: lstsq of shapes [2, 3] and [3, 1]: the right side must have as many rows as the matrix. "
      "Check the shapes.");
  tensor const nan{{std::numeric_limits<double>::quiet_NaN(), 1.}, {1., 1.}};
  CHECK(
      error_of("Svd", [&] { static_cast<void>(svd(nan)); }) ==
      "placement: svd of shape [2, 2]: LAPACK did not converge. Check the elements for NaN and infinities.");
}
TEST_CASE("NaN and infinities are errors of ops that iterate, and name the matrix") {
  float const inf = std::numeric_limits<float>::infinity();
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), inf}) {
    tensor<float, dextents<3>> x = ones<float>(2, 2, 2);
    x.data()[7] = bad;
    tensor const one{{1.f, 2.f}, {3.f, bad}};
    std::string const names =
        " of shape [2, 2, 2]: LAPACK did not converge. Check the elements for NaN and "
        "infinities. It is matrix 1 of 2, counted from 0.";
    CHECK(error_of("Svd", [&] { static_cast<void>(svd(x)); }) == "placement: svd" + names);
    CHECK(error_of("SvdVals", [&] { tensor const s = svdvals(x); }) ==
          "placement: svdvals" + names);
    CHECK(error_of("SelfAdjointEigV2", [&] { static_cast<void>(eigh(x)); }) ==
          "placement: eigh" + names);
    CHECK(error_of("Eigvalsh", [&] { tensor const s = eigvalsh(x); }) ==
          "placement: eigvalsh" + names);
    CHECK_THROWS_AS(static_cast<void>(lstsq(one, tensor{{1.f}, {1.f}})), linear_algebra_error);
    CHECK_THROWS_AS(static_cast<void>(lstsq(tensor{{1.f}, {1.f}}, tensor{{1.f}, {bad}})),
                    linear_algebra_error);
  }
}
TEST_CASE("eigh and eigvalsh accept NaN above the diagonal, which they do not read") {
  tensor<double, dextents<2>> x{{2., 0.}, {0., 3.}};
  x.data()[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(distance(eigvalsh(x), tensor{2., 3.}) == 0);
}
TEST_CASE("factors in a GPU scope: one fallback, and results on the GPU") {
  auto const x = random_tensor<float>(shape(3, 2));
  log_lines log;
  with_device scope("/gpu:0");
  auto const [q, r] = qr(x);
  CHECK(q.where() == device{kind::gpu, 0});
  CHECK(r.where() == device{kind::gpu, 0});
  CHECK(distance(matmul(q, r), x) < 1e-5);
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 1);
  CHECK(
      lines[0].starts_with("placement: fallback: Qr<float> [10] asked for /GPU:0, runs on /CPU:0: "
                           "no GPU kernel for this op and element type at "));
}
