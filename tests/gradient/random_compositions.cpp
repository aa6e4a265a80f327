// Derivatives of reductions that are composed of others, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/ops/logsumexp.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/norm.hpp>
#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::along, test::daily_ranks, test::forms, test::random_unary;

TEST_CASE("Random derivatives of nansum and nanprod", "[random]") {
  random_unary<float16>(along([](auto const& x, auto... a) { return pl::nansum(x, a...); }));
  random_unary<bfloat16, forms{}, daily_ranks<0, 2>>(
      along([](auto const& x, auto... a) { return pl::nanprod(x, a...); }), {0.75, 1.25});
}
TEST_CASE("Random derivatives of norm and logsumexp", "[random]") {
  random_unary<float16, forms{}, daily_ranks<0, 2>>(
      along([](auto const& x, auto... a) { return pl::norm(x, a...); }), {0.5, 2});
  random_unary<bfloat16, forms{}, daily_ranks<2, 3>>(
      along([](auto const& x, auto... a) { return pl::logsumexp(x, a...); }));
}
