// Derivatives of ops that join, repeat or select elements, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/ops/embedding.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tile.hpp>
#include <support/random_derivatives.hpp>

#include <cstdint>

namespace pl = placement;
using pl::axis, pl::bfloat16, pl::float16;
using test::daily_ranks_from_1, test::forms, test::random_draws, test::random_unary,
    test::wide_each_day;
using test::ranks, test::ranks_of_run, test::rank_of, test::with_static;

namespace {

/// Numbers from first to last.
template <class X> auto indices(random_draws& r, X const& shape, int first, int last) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i != shape.count(); ++i) all.push_back(r.number(first, last));
  return pl::from(all, shape);
}

TEST_CASE("Random derivatives of concat and stack", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>();
    auto const join = [](auto const& a, auto const& b) { return pl::concat(axis<1>, a * b, b, a); };
    test::require_random<float16, with_static>(join, {}, r, r.elements(shape), r.elements(shape));
    auto const other = pl::dextents<2>{{r.number(1, 3), shape.n[1]}};
    auto const rows = [](auto const& a, auto const& b) { return pl::concat(0, a, b); };
    test::require_random<bfloat16, wide_each_day>(rows, {}, r, r.elements(shape),
                                                  r.elements(other));
    auto const layers = [](auto const& a, auto const& b) { return pl::stack(1, a * b, b); };
    test::require_random<float16, wide_each_day>(layers, {}, r, r.elements(shape),
                                                 r.elements(shape));
  });
}
TEST_CASE("Random derivatives of pad and roll", "[random]") {
  random_unary<float16, forms{}, daily_ranks_from_1<2>>(
      [](auto const& x) { return pl::pad(x, 1, 3); });
  random_unary<bfloat16, wide_each_day, daily_ranks_from_1<2, 3>>([](auto const& x) {
    if constexpr (rank_of<decltype(x)> < 3) return pl::roll(x, 1, axis<0>);
    else return pl::roll(x, -2, 1);
  });
}
TEST_CASE("Random derivatives of tile and repeat", "[random]") {
  random_unary<float16, wide_each_day, ranks<1, 2>>([](auto const& x) {
    if constexpr (rank_of<decltype(x)> == 1) return pl::tile(x, 3);
    else return pl::tile(x, pl::extents<2, 3>{});
  });
  random_unary<bfloat16, wide_each_day, ranks_of_run<ranks<1, 2, 3>, ranks<1, 2>>>(
      [](auto const& x) {
        if constexpr (rank_of<decltype(x)> == 1) return pl::repeat(x, 2, axis<0>);
        else return pl::repeat(x, 3, 1);
      });
}
TEST_CASE("Random derivatives of gather, take and embedding_lookup", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = pl::dextents<2>{{r.number(1, 4), r.number(1, 4)}};
    int const rows = static_cast<int>(shape.n[0]), columns = static_cast<int>(shape.n[1]);
    auto const of_columns = indices(r, r.shape<1>(), 0, columns - 1);
    auto const gathered = [&](auto const& x) { return pl::gather(x, of_columns, axis<1>); };
    test::require_random<float16, forms{}>(gathered, {}, r, r.elements(shape));
    auto const of_rows = indices(r, r.shape<2>(), -rows, rows - 1);
    auto const taken = [&](auto const& x) { return pl::take(x, of_rows, axis<0>); };
    test::require_random<bfloat16, forms{}>(taken, {}, r, r.elements(shape));
    auto const ids = indices(r, r.shape<2>(), 0, rows - 1);
    auto const looked_up = [&](auto const& x) { return pl::embedding_lookup(x, ids); };
    test::require_random<float16, forms{}>(looked_up, {}, r, r.elements(shape));
  });
}
TEST_CASE("Random derivatives of take_along_axis", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>();
    auto const at = indices(r, pl::dextents<2>{{r.number(1, 4), shape.n[1]}}, 0,
                            static_cast<int>(shape.n[0]) - 1);
    auto const taken = [&](auto const& x) { return pl::take_along_axis(x, at, axis<0>); };
    test::require_random<bfloat16, forms{}>(taken, {}, r, r.elements(shape));
  });
}

}  // namespace
