// Derivatives of ops that choose, over random shapes and types, away from their kinks.
#include <placement/gradient.hpp>

#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::domain, test::forms, test::is_even, test::is_not_zero, test::is_odd,
    test::wide_each_day;
using test::random_binary, test::random_unary, test::with_static;

TEST_CASE("Random derivatives of maximum and minimum", "[random]") {
  domain const even{-2, 2, is_even}, odd{-2, 2, is_odd};
  random_binary<float16, with_static>(
      [](auto const& a, auto const& b) { return pl::maximum(a, b); }, even, odd);
  random_binary<bfloat16, wide_each_day>(
      [](auto const& a, auto const& b) { return pl::minimum(a, b); }, odd, even);
}
TEST_CASE("Random derivatives of where", "[random]") {
  random_binary<float16, wide_each_day>(
      [](auto const& a, auto const& b) { return pl::where(a > 0, a, b); }, {-2, 2, is_not_zero});
}
TEST_CASE("Random derivatives of relu and abs", "[random]") {
  random_unary<float16, wide_each_day>([](auto const& x) { return pl::relu(x); },
                                       {-2, 2, is_not_zero});
  random_unary<bfloat16, wide_each_day>([](auto const& x) { return pl::abs(x); },
                                        {-2, 2, is_not_zero});
}
TEST_CASE("Random derivatives of clamp", "[random]") {
  random_unary<float16, wide_each_day>(
      [](auto const& x) {
        using T = typename std::decay_t<decltype(x)>::value_type;
        return pl::clamp(x, -1, static_cast<T>(0.5f));
      },
      {-2, 2, is_odd});
  test::for_seeds(1, [](test::random_draws& r) {
    auto const shape = r.shape<3>();
    test::require_random<bfloat16, wide_each_day>(
        [](auto const& x, auto const& low, auto const& high) { return pl::clamp(x, low, high); },
        {}, r, r.elements(r.broadcast<3>(shape), {-2, 2, is_odd}),
        r.elements(r.broadcast<1>(shape), {-1.5, -0.5, is_even}),
        r.elements(r.broadcast<2>(shape), {0.5, 1.5, is_even}));
  });
}
TEST_CASE("Random derivatives of add_n, identity and cast", "[random]") {
  random_unary<float16, wide_each_day>([](auto const& x) { return pl::identity(x); });
  random_unary<bfloat16>([](auto const& x) {
    using T = typename std::decay_t<decltype(x)>::value_type;
    return pl::cast<T>(pl::cast<double>(x) * 1.5);
  });
  test::for_seeds(1, [](test::random_draws& r) {
    auto const shape = r.shape<2>();
    test::require_random<float16, wide_each_day>(
        [](auto const& x, auto const& y) { return pl::add_n(x, x * y, y); }, {}, r,
        r.elements(shape), r.elements(shape));
    test::require_random<bfloat16, forms{false, test::every_combination, true}>(
        [](auto const& x, auto const& y) { return pl::add_n(std::vector{x, y, y}); }, {}, r,
        r.elements(shape), r.elements(shape));
  });
}
