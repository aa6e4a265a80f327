// Derivatives of views, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/ops/diag.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/tril.hpp>
#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::axis, pl::bfloat16, pl::float16, pl::range;
using test::daily_ranks_from_1, test::forms, test::random_unary, test::ranks, test::ranks_of_run,
    test::wide_each_day;
using test::rank_of, test::with_static;

TEST_CASE("Random derivatives of slices", "[random]") {
  random_unary<float16, with_static, daily_ranks_from_1<1, 2, 3>>([](auto const& x) {
    constexpr std::size_t rank = rank_of<decltype(x)>;
    if constexpr (rank == 1) return pl::slice(x, range{.step = 2});
    else if constexpr (rank == 2) return pl::slice(x, range{.step = -1}, pl::newaxis, range{});
    else return pl::slice(x, 0, range{.first = 1});
  });
}
TEST_CASE("Random derivatives of permute, moveaxis and swapaxes", "[random]") {
  random_unary<float16, wide_each_day, ranks<2, 3, 4>>([](auto const& x) {
    constexpr std::size_t rank = rank_of<decltype(x)>;
    if constexpr (rank == 2) return pl::permute<1, 0>(x);
    else if constexpr (rank == 3) return pl::moveaxis(x, 0, 2);
    else return pl::swapaxes(x, 1, 3);
  });
}
TEST_CASE("Random derivatives of transpose, reverse and flip", "[random]") {
  random_unary<bfloat16, wide_each_day, ranks_of_run<ranks<2, 3, 4>, ranks<2, 3>>>(
      [](auto const& x) { return pl::transpose(x); });
  random_unary<float16, wide_each_day, ranks<1, 2, 4>>([](auto const& x) {
    if constexpr (rank_of<decltype(x)> == 4) return pl::reverse(x, 2);
    else return pl::reverse(x, axis<0>);
  });
  random_unary<bfloat16, wide_each_day, ranks_of_run<ranks<1, 2, 3>, ranks<2>>>(
      [](auto const& x) { return pl::flip(x); });
}
TEST_CASE("Random derivatives of reshape, squeeze, expand_dims and broadcast_to", "[random]") {
  random_unary<float16, wide_each_day, ranks_of_run<ranks<0, 1, 2, 4>, ranks<0, 2>>>(
      [](auto const& x) { return pl::reshape(x, pl::shape(x.shape().count())); });
  random_unary<bfloat16, wide_each_day, ranks_of_run<ranks<0, 2, 3>, ranks<2>>>([](auto const& x) {
    return pl::squeeze(pl::expand_dims(x, axis<0>) * pl::expand_dims(x, axis<0>), axis<0>);
  });
  random_unary<float16, wide_each_day, ranks<1, 2>>([](auto const& x) {
    if constexpr (rank_of<decltype(x)> == 1)
      return pl::broadcast_to(x, pl::shape(2, x.shape().at(0)));
    else return pl::broadcast_to(x, pl::shape(3, x.shape().at(0), x.shape().at(1)));
  });
}
TEST_CASE("Random derivatives of diagonals and triangles", "[random]") {
  random_unary<float16, forms{}, ranks<2>>([](auto const& x) { return pl::diagonal(x); });
  random_unary<bfloat16, wide_each_day, ranks<1, 2>>([](auto const& x) { return pl::diag(x); });
  random_unary<float16, wide_each_day, ranks<2, 3>>([](auto const& x) { return pl::tril(x); });
  random_unary<bfloat16, wide_each_day, ranks<2>>([](auto const& x) { return pl::triu(x, 1); });
}
TEST_CASE("Random derivatives of split and diff", "[random]") {
  random_unary<float16, wide_each_day, daily_ranks_from_1<2>>([](auto const& x) {
    auto const parts = pl::split<1>(x, axis<0>);
    return parts[0];
  });
  test::for_seeds(1, [](test::random_draws& r) {
    auto const shape = pl::dextents<2>{{r.number(1, 3), 2 * r.number(1, 2)}};
    auto const halves = [](auto const& x) {
      auto const [a, b] = pl::split<2>(x, axis<1>);
      return a * a * b;
    };
    test::require_random<bfloat16, wide_each_day>(halves, {}, r, r.elements(shape));
    auto const parts = [](auto const& x) { return pl::split(x, 2, 1).at(1) * 2; };
    test::require_random<float16, wide_each_day>(parts, {}, r, r.elements(shape));
  });
  random_unary<bfloat16, wide_each_day, ranks_of_run<ranks<1, 2, 3>, ranks<2>>>(
      [](auto const& x) { return pl::diff(x); }, {.smallest_extent = 2});
}
