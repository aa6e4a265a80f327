// Derivatives of ops along fibers, over random shapes and types.
#include <placement/gradient.hpp>

#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::daily_ranks_from_1, test::forms, test::random_unary, test::with_static;

TEST_CASE("Random derivatives of softmax and log_softmax", "[random]") {
  random_unary<float16, with_static, daily_ranks_from_1<2>>(
      [](auto const& x) { return pl::softmax(x); });
  random_unary<bfloat16, forms{}, daily_ranks_from_1<2>>(
      [](auto const& x) { return pl::log_softmax(x); });
}
TEST_CASE("Random derivatives of cumsum", "[random]") {
  random_unary<float16, forms{}, daily_ranks_from_1<1, 2, 3>>([](auto const& x) {
    constexpr std::size_t rank = test::rank_of<decltype(x)>;
    if constexpr (rank == 1) return pl::cumsum(x, pl::axis<0>);
    else if constexpr (rank == 2) return pl::cumsum(x, pl::axis<-1>);
    else return pl::cumsum(x, 1);
  });
}
