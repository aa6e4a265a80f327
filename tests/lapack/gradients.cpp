// Derivatives of solve, inverse, det and cholesky, against central differences.
#include <placement/gradient.hpp>

#include <placement/lapack.hpp>
#include <support/finite_differences.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

namespace pl = placement;
using test::random_operands;
using test::require_derivatives;

namespace {

/// Adds n times the identity, so that matrices with elements up to 1 are regular.
template <class X> auto shifted(X const& x, pl::index_t n) {
  pl::tensor<double, pl::dextents<2>> eye = pl::zeros<double>(n, n);
  for (pl::index_t i = 0; i != n; ++i) eye.data()[i * n + i] = static_cast<double>(n);
  return x + eye;
}
auto matrix_of(unsigned seed, pl::index_t m, pl::index_t n) {
  return random_operands(seed).elements(pl::dextents<2>{{m, n}}, -1, 1);
}

}  // namespace

TEST_CASE("Derivatives of solve by the matrix and by the right side") {
  log_lines const fallbacks;
  require_derivatives([](auto const& a, auto const& b) { return pl::solve(shifted(a, 3), b); },
                      matrix_of(1, 3, 3), matrix_of(2, 3, 2));
  require_derivatives<true>(
      [](auto const& a, auto const& b) { return pl::solve(shifted(a, 4), b); }, matrix_of(3, 4, 4),
      random_operands(4).elements(pl::dextents<1>{{4}}, -1, 1));
}
TEST_CASE("Derivatives of solve where one matrix serves a batch, and one side serves matrices") {
  log_lines const fallbacks;
  require_derivatives<true>(
      [](auto const& a, auto const& b) { return pl::solve(shifted(a, 3), b); }, matrix_of(1, 3, 3),
      random_operands(5).elements(pl::dextents<3>{{4, 3, 2}}, -1, 1));
  require_derivatives<true>(
      [](auto const& a, auto const& b) { return pl::solve(shifted(a, 3), b); },
      random_operands(6).elements(pl::dextents<3>{{2, 3, 3}}, -1, 1), matrix_of(7, 3, 2));
}
TEST_CASE("Derivatives of inverse and det") {
  log_lines const fallbacks;
  require_derivatives([](auto const& x) { return pl::inverse(shifted(x, 3)); }, matrix_of(1, 3, 3));
  require_derivatives([](auto const& x) { return pl::det(shifted(x, 3)); }, matrix_of(2, 3, 3));
  require_derivatives<true>(
      [](auto const& x) {
        return pl::det(shifted(x, 3)) * pl::det(pl::inverse(shifted(x * x, 3)));
      },
      random_operands(3).elements(pl::dextents<3>{{2, 3, 3}}, -1, 1));
}
TEST_CASE("Derivatives of cholesky, of matrices that are symmetric") {
  log_lines const fallbacks;
  auto const positive = [](auto const& x) { return shifted(pl::matmul(x, pl::transpose(x)), 4); };
  require_derivatives<true>([&](auto const& x) { return pl::cholesky(positive(x)); },
                            matrix_of(1, 4, 4));
  require_derivatives<true>([&](auto const& x) { return pl::cholesky(positive(x)); },
                            random_operands(2).elements(pl::dextents<3>{{3, 4, 4}}, -1, 1));
}
TEST_CASE("the gradient of cholesky is symmetric") {
  log_lines const fallbacks;
  pl::tensor const symmetric{{4., 1., 0.5}, {1., 3., 0.2}, {0.5, 0.2, 2.}};
  pl::tensor x = symmetric * 1.;
  pl::gradient_tape tape(x);
  pl::tensor const loss = pl::sum(pl::cholesky(x));
  pl::tensor const g = tape.gradient(loss, x);
  auto const h = g.read();
  for (std::size_t i = 0; i != 3; ++i)
    for (std::size_t j = 0; j != i; ++j) CHECK(h[i * 3 + j] == h[j * 3 + i]);
}
TEST_CASE("an op without a derivative is an error where a tape would record it") {
  log_lines const fallbacks;
  pl::tensor x{{4., 1.}, {1., 3.}};
  pl::gradient_tape tape(x);
  std::string const message = error_message([&] { static_cast<void>(pl::eigh(x)); });
  CHECK(message.find("SelfAdjointEigV2") != message.npos);
}
