// Derivatives of solve, inverse, det and cholesky, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/lapack.hpp>
#include <support/log_lines.hpp>
#include <support/random_derivatives.hpp>

namespace pl = placement;
using test::forms, test::random_draws;

namespace {

constexpr forms no_narrow{true, test::every_combination, false};
constexpr forms only_tape{false, test::every_combination, false};

/// Adds 2 n times the identity: matrices of elements up to 1 are regular then.
template <class X> auto shifted(X const& x) {
  using T = typename X::value_type;
  pl::index_t const n = x.shape().at(X::rank - 1);
  pl::tensor<T, pl::dextents<2>> eye = pl::zeros<T>(n, n);
  for (pl::index_t i = 0; i != n; ++i) eye.data()[i * n + i] = static_cast<T>(2 * n);
  return x + eye;
}
pl::dextents<2> square(pl::index_t n) { return {{n, n}}; }

TEST_CASE("Random derivatives of solve", "[random]") {
  log_lines const fallbacks;
  auto const solved = [](auto const& a, auto const& b) { return pl::solve(shifted(a), b); };
  test::for_seeds(1, [&](random_draws& r) {
    pl::index_t const n = r.number(1, 4);
    auto const a = r.elements(square(n), {-1, 1});
    test::require_random<float, no_narrow>(solved, {32, 0}, r, a,
                                           r.elements(pl::dextents<2>{{n, r.number(1, 3)}}));
    test::require_random<float, only_tape>(solved, {32, 0}, r, a,
                                           r.elements(pl::dextents<3>{{r.number(1, 3), n, 2}}));
    test::require_random<float, only_tape>(solved, {32, 0}, r,
                                           r.elements(pl::dextents<3>{{2, n, n}}, {-1, 1}),
                                           r.elements(pl::dextents<1>{{n}}));
  });
}
TEST_CASE("Random derivatives of inverse and det", "[random]") {
  log_lines const fallbacks;
  auto const inverted = [](auto const& a) { return pl::inverse(shifted(a)); };
  auto const determinant = [](auto const& a) { return pl::det(shifted(a)); };
  test::for_seeds(1, [&](random_draws& r) {
    pl::index_t const n = r.number(1, 4);
    auto const a = r.elements(square(n), {-1, 1});
    auto const batch = r.elements(pl::dextents<3>{{r.number(1, 3), n, n}}, {-1, 1});
    test::require_random<float, no_narrow>(inverted, {32, 0}, r, a);
    test::require_random<float, only_tape>(inverted, {32, 0}, r, batch);
    test::require_random<float, no_narrow>(determinant, {32, 0}, r, a);
    test::require_random<float, only_tape>(determinant, {32, 0}, r, batch);
  });
}
TEST_CASE("Random derivatives of cholesky", "[random]") {
  log_lines const fallbacks;
  auto const factor = [](auto const& a) {
    return pl::cholesky(shifted(pl::matmul(a, pl::transpose(a))));
  };
  test::for_seeds(1, [&](random_draws& r) {
    pl::index_t const n = r.number(1, 4);
    test::require_random<float, only_tape>(factor, {32, 0}, r, r.elements(square(n), {-1, 1}));
    test::require_random<float, only_tape>(
        factor, {32, 0}, r, r.elements(pl::dextents<3>{{r.number(1, 3), n, n}}, {-1, 1}));
  });
}

}  // namespace
