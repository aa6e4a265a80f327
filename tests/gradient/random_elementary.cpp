// Derivatives of element-wise ops of one operand, over random shapes and types.
#include <placement/gradient.hpp>

#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::random_unary, test::with_static;

TEST_CASE("Random derivatives of exponentials", "[random]") {
  random_unary<float16, with_static>([](auto const& x) { return pl::exp(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::exp2(x); });
  random_unary<float16>([](auto const& x) { return pl::expm1(x); });
}
TEST_CASE("Random derivatives of logarithms", "[random]") {
  random_unary<bfloat16>([](auto const& x) { return pl::log(x); }, {0.5, 3});
  random_unary<float16>([](auto const& x) { return pl::log2(x); }, {0.5, 3});
  random_unary<bfloat16>([](auto const& x) { return pl::log10(x); }, {0.5, 3});
  random_unary<float16>([](auto const& x) { return pl::log1p(x); }, {-0.5, 3});
}
TEST_CASE("Random derivatives of roots and powers", "[random]") {
  random_unary<float16>([](auto const& x) { return pl::square(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::sqrt(x); }, {0.5, 3});
  random_unary<float16>([](auto const& x) { return pl::rsqrt(x); }, {0.5, 3});
  random_unary<bfloat16>([](auto const& x) { return pl::cbrt(x); }, {0.5, 3});
  random_unary<float16>([](auto const& x) { return pl::reciprocal(x); }, {0.5, 3});
}
