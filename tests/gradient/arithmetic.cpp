/// Derivatives of element-wise ops of two operands and of reductions, against central differences.

#include <placement/gradient.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

namespace pl = placement;
using pl::axis;
using test::require_derivatives;

namespace {

/// Calls f(a, b) for operands that broadcast in many ways: all types have extents of run time.
template <class F> void require_on_broadcasts(F const& f) {
  test::with_random_operands([&](auto& r) {
    pl::index_t const m = r.extent(), n = r.extent();
    bool const is_row = r.extent(2) == 1, is_column = r.extent(2) == 1;
    auto const some = r.elements(pl::dextents<2>{{is_row ? 1 : m, is_column ? 1 : n}}, 0.5, 2);
    auto const all = r.elements(pl::dextents<2>{{m, n}}, 0.5, 2);
    if (r.extent(2) == 1) require_derivatives(f, some, all);
    else require_derivatives(f, all, some);
  });
}

TEST_CASE("Derivatives of arithmetic with broadcasting", "[gradient]") {
  require_on_broadcasts([](auto const& a, auto const& b) { return a * b - b / a + (a - 2.0); });
  require_on_broadcasts([](auto const& a, auto const& b) { return pl::pow(a, b); });
  require_on_broadcasts(
      [](auto const& a, auto const& b) { return pl::atan2(a, b) + pl::hypot(a, b); });
  require_on_broadcasts([](auto const& a, auto const& b) { return pl::logaddexp(a, b); });
}
TEST_CASE("Derivatives of modulo, add_n and identity", "[gradient]") {
  test::with_random_operands([](auto& r) {
    auto const shape = pl::dextents<2>{{r.extent(), r.extent()}};
    // 3.1 to 3.9 times b: away from the steps of the remainder.
    test::reals<2> const b = r.elements(shape, 0.5, 2), a = b * r.elements(shape, 3.1, 3.9);
    require_derivatives<true>(
        [](auto const& x, auto const& y) {
          return pl::add_n(x % y, pl::identity(x * y), y) + (-x) % y + pl::floor_modulo(-x, y);
        },
        a, b);
  });
}
TEST_CASE("Derivatives of choices with broadcasting", "[gradient]") {
  require_on_broadcasts([](auto const& a, auto const& b) {
    return pl::maximum(a, b) * 3.0 + pl::minimum(a, b) + pl::where(a > 1.0, a, b * b);
  });
}
/// f on cubes.
template <bool OnlyTape = true, class F> void require_on_cubes(F const& f) {
  test::with_random_operands([&](auto& r) {
    auto const shape = pl::dextents<3>{{r.extent(4), r.extent(4), 1 + r.extent(3)}};
    require_derivatives<OnlyTape>(f, r.elements(shape, 0.5, 2));
  });
}

TEST_CASE("Derivatives of sums and means", "[gradient]") {
  require_on_cubes([](auto const& x) {
    return pl::sum(x * x, axis<0>) + pl::mean(x, pl::keep_dim(axis<0>)) * pl::mean(x);
  });
  require_on_cubes<false>([](auto const& x) { return pl::sum(pl::exp(x), axis<0, 2>); });
  require_on_cubes([](auto const& x) { return pl::mean(pl::exp(x), 1); });
}
TEST_CASE("Derivatives of variance, std_dev and prod", "[gradient]") {
  require_on_cubes([](auto const& x) { return pl::variance(x, axis<2>); });
  require_on_cubes([](auto const& x) { return pl::std_dev(x, pl::keep_dim(axis<-1>)); });
  require_on_cubes<false>([](auto const& x) { return pl::prod(x, axis<1>); });
}
TEST_CASE("Derivatives of max and min", "[gradient]") {
  require_on_cubes<false>([](auto const& x) { return pl::max(x, axis<1>); });
  require_on_cubes([](auto const& x) { return pl::min(pl::exp(x)); });
}
TEST_CASE("Derivatives of softmax, log_softmax and cumsum", "[gradient]") {
  require_on_cubes<false>([](auto const& x) { return pl::softmax(x); });
  require_on_cubes([](auto const& x) { return pl::log_softmax(x); });
  require_on_cubes([](auto const& x) { return pl::cumsum(x, axis<1>); });
}

}  // namespace
