// Derivatives of arithmetic and choices, over random shapes that broadcast, and random types.
#include <placement/gradient.hpp>
#include <placement/ops/nan_to_num.hpp>

#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::domain, test::is_even, test::is_not_zero, test::is_odd, test::wide_each_day;
using test::random_binary, test::random_unary, test::with_static;

TEST_CASE("Random derivatives of sums and differences", "[random]") {
  random_binary<float16, wide_each_day>([](auto const& a, auto const& b) { return a + b; });
  random_binary<bfloat16, wide_each_day>([](auto const& a, auto const& b) { return a - b; });
  random_unary<float16, wide_each_day>([](auto const& x) { return -x; });
}
TEST_CASE("Random derivatives of products and quotients", "[random]") {
  random_binary<float16, with_static>([](auto const& a, auto const& b) { return a * b; });
  random_binary<bfloat16, wide_each_day>([](auto const& a, auto const& b) { return a / b; }, {},
                                         {0.5, 2});
}
TEST_CASE("Random derivatives of remainders", "[random]") {
  // Quotients between 2 and 3: away from the steps.
  random_binary<float16, wide_each_day>(
      [](auto const& a, auto const& b) { return a % b + (-a) % b; }, {2.6, 2.9}, {1, 1.25});
}
TEST_CASE("Random derivatives of floor_modulo", "[random]") {
  random_binary<bfloat16, wide_each_day>(
      [](auto const& a, auto const& b) { return pl::floor_modulo(a, b) + pl::floor_modulo(-a, b); },
      {2.6, 2.9}, {1, 1.25});
}
TEST_CASE("Random derivatives of copysign and nan_to_num", "[random]") {
  random_binary<float16, wide_each_day>(
      [](auto const& x, auto const& y) { return pl::copysign(x * x * x, y); }, {-2, 2, is_not_zero},
      {-2, 2, is_not_zero});
  random_unary<bfloat16, wide_each_day>([](auto const& x) { return pl::nan_to_num(x * x); });
}
TEST_CASE("Random derivatives of pow", "[random]") {
  random_binary<bfloat16, wide_each_day>([](auto const& a, auto const& b) { return pl::pow(a, b); },
                                         {0.5, 2});
}
TEST_CASE("Random derivatives of atan2 and hypot", "[random]") {
  random_binary<float16, wide_each_day>(
      [](auto const& y, auto const& x) { return pl::atan2(y, x); }, {-2, 2, is_not_zero},
      {-2, 2, is_not_zero});
  random_binary<bfloat16, wide_each_day>(
      [](auto const& x, auto const& y) { return pl::hypot(x, y); }, {-2, 2, is_not_zero},
      {-2, 2, is_not_zero});
}
TEST_CASE("Random derivatives of logaddexp", "[random]") {
  random_binary<float16, wide_each_day>(
      [](auto const& x, auto const& y) { return pl::logaddexp(x, y); });
}
