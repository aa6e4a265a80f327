// Derivatives of reductions over all elements and along axes, over random shapes and types.
#include <placement/gradient.hpp>

#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::along, test::daily_ranks, test::forms, test::random_unary, test::with_static;

TEST_CASE("Random derivatives of sum and mean", "[random]") {
  random_unary<float16, with_static, daily_ranks<0, 1, 2, 3, 4>>(
      along([](auto const& x, auto... a) { return pl::sum(x, a...); }));
  random_unary<bfloat16, forms{}, daily_ranks<2, 3>>(
      along([](auto const& x, auto... a) { return pl::mean(x, a...); }));
}
TEST_CASE("Random derivatives of max and min", "[random]") {
  random_unary<float16, forms{}, daily_ranks<0, 2, 3>>(
      along([](auto const& x, auto... a) { return pl::max(x, a...); }), {.distinct = true});
  random_unary<bfloat16, forms{}, daily_ranks<1, 2>>(
      along([](auto const& x, auto... a) { return pl::min(x, a...); }), {.distinct = true});
}
TEST_CASE("Random derivatives of prod", "[random]") {
  random_unary<float16, forms{}, daily_ranks<0, 2, 4>>(
      along([](auto const& x, auto... a) { return pl::prod(x, a...); }), {0.75, 1.25});
}
TEST_CASE("Random derivatives of variance and std_dev", "[random]") {
  random_unary<bfloat16, forms{}, daily_ranks<0, 2>>(
      along([](auto const& x, auto... a) { return pl::variance(x, a...); }));
  // std_dev has a kink where all elements are equal, as one element is.
  random_unary<float16, forms{}, test::daily_ranks_from_1<2, 3>>(
      along([](auto const& x, auto... a) { return pl::std_dev(x, a...); }),
      {.distinct = true, .smallest_extent = 2});
}
