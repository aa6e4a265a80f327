/// Derivatives of element-wise ops of one operand, against central differences.

#include <placement/gradient.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

namespace pl = placement;
using test::require_derivatives;

namespace {

/// f on matrices of elements from low to high, by a tape; the static form has the same rules.
template <bool OnlyTape = true, class F>
void require_on_matrices(F const& f, double low = -2, double high = 2) {
  test::with_random_operands([&](auto& r) {
    require_derivatives<OnlyTape>(f,
                                  r.elements(pl::dextents<2>{{r.extent(), r.extent()}}, low, high));
  });
}

TEST_CASE("Derivatives of exponentials and logarithms", "[gradient]") {
  require_on_matrices<false>([](auto const& x) { return pl::exp(x); });
  require_on_matrices([](auto const& x) { return pl::expm1(x); });
  require_on_matrices([](auto const& x) { return pl::log(x); }, 0.5, 3);
  require_on_matrices([](auto const& x) { return pl::log1p(x); }, -0.5, 3);
}
TEST_CASE("Derivatives of sin, cos, tanh, sigmoid, erf", "[gradient]") {
  require_on_matrices([](auto const& x) { return pl::sin(x); });
  require_on_matrices([](auto const& x) { return pl::cos(x); });
  require_on_matrices<false>([](auto const& x) { return pl::tanh(x); });
  require_on_matrices([](auto const& x) { return pl::sigmoid(x); });
  require_on_matrices([](auto const& x) { return pl::erf(x); });
}
TEST_CASE("Derivatives of tan, hyperbolic functions and their inverses", "[gradient]") {
  require_on_matrices([](auto const& x) { return pl::tan(x); }, -1.2, 1.2);
  require_on_matrices([](auto const& x) { return pl::asin(x); }, -0.9, 0.9);
  require_on_matrices([](auto const& x) { return pl::acos(x); }, -0.9, 0.9);
  require_on_matrices([](auto const& x) { return pl::atan(x); });
  require_on_matrices([](auto const& x) { return pl::asinh(x); });
  require_on_matrices([](auto const& x) { return pl::acosh(x); }, 1.2, 4);
  require_on_matrices([](auto const& x) { return pl::atanh(x); }, -0.9, 0.9);
  require_on_matrices([](auto const& x) { return pl::sinh(x); });
  require_on_matrices([](auto const& x) { return pl::cosh(x); });
}
TEST_CASE("Derivatives of exp2, log2, log10, cbrt, erfc", "[gradient]") {
  require_on_matrices([](auto const& x) { return pl::exp2(x); });
  require_on_matrices([](auto const& x) { return pl::log2(x); }, 0.5, 3);
  require_on_matrices([](auto const& x) { return pl::log10(x); }, 0.5, 3);
  require_on_matrices([](auto const& x) { return pl::cbrt(x); }, 0.5, 3);
  require_on_matrices([](auto const& x) { return pl::erfc(x); });
}
TEST_CASE("Derivatives of square, sqrt, rsqrt, reciprocal", "[gradient]") {
  require_on_matrices([](auto const& x) { return pl::square(x); });
  require_on_matrices<false>([](auto const& x) { return pl::sqrt(x); }, 0.5, 3);
  require_on_matrices([](auto const& x) { return pl::rsqrt(x); }, 0.5, 3);
  require_on_matrices([](auto const& x) { return pl::reciprocal(x); }, 0.5, 3);
}
TEST_CASE("Derivatives of relu, abs, clamp, negative, cast", "[gradient]") {
  require_on_matrices<false>([](auto const& x) { return pl::relu(x); });
  require_on_matrices([](auto const& x) { return pl::abs(x); });
  require_on_matrices<false>([](auto const& x) { return pl::clamp(x, -1.0, 0.5); });
  require_on_matrices([](auto const& x) { return -x * pl::cast<double>(x > 0.0); });
}

}  // namespace
