// Derivatives of trigonometric and hyperbolic functions, over random shapes and types.
#include <placement/gradient.hpp>

#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::random_unary, test::with_static;

TEST_CASE("Random derivatives of sin, cos, tan", "[random]") {
  random_unary<float16>([](auto const& x) { return pl::sin(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::cos(x); });
  random_unary<float16>([](auto const& x) { return pl::tan(x); }, {-1.2, 1.2});
}
TEST_CASE("Random derivatives of asin, acos, atan", "[random]") {
  random_unary<bfloat16>([](auto const& x) { return pl::asin(x); }, {-0.9, 0.9});
  random_unary<float16>([](auto const& x) { return pl::acos(x); }, {-0.9, 0.9});
  random_unary<bfloat16>([](auto const& x) { return pl::atan(x); });
}
TEST_CASE("Random derivatives of sinh, cosh, tanh", "[random]") {
  random_unary<float16>([](auto const& x) { return pl::sinh(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::cosh(x); });
  random_unary<float16, with_static>([](auto const& x) { return pl::tanh(x); });
}
TEST_CASE("Random derivatives of asinh, acosh, atanh", "[random]") {
  random_unary<bfloat16>([](auto const& x) { return pl::asinh(x); });
  random_unary<float16>([](auto const& x) { return pl::acosh(x); }, {1.2, 4});
  random_unary<bfloat16>([](auto const& x) { return pl::atanh(x); }, {-0.9, 0.9});
}
TEST_CASE("Random derivatives of sigmoid, erf, erfc", "[random]") {
  random_unary<bfloat16>([](auto const& x) { return pl::sigmoid(x); });
  random_unary<float16>([](auto const& x) { return pl::erf(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::erfc(x); });
}
