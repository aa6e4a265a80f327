// Derivatives of ops that are gradients themselves, over random shapes and types.
#include <placement/gradient.hpp>

#include <support/random_derivatives.hpp>

#include <cstdint>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::forms, test::is_not_zero, test::random_draws;

namespace {

constexpr forms all_types{}, only_tape{false, test::every_combination, false};

/// x in the element type of `like`.
template <class Like, class X> auto in_type_of(Like const&, pl::tensor<double, X> const& x) {
  return test::in_type<typename Like::value_type>(x);
}

/// The gradient of sum(op(x) * h) by x as a function of x and h, over random matrices.
template <class Narrow, forms Forms = test::wide_each_day, class F>
void random_second(F const& op, test::domain const& of = {}, test::bounds const& allowed = {}) {
  test::for_seeds(1, [&](random_draws& r) {
    auto const shape = r.shape<2>();
    auto const gradient_of_op = [&](auto const& x, auto const& h) {
      return pl::gradient<7>(pl::sum(op(pl::leaf<7>(x)) * h));
    };
    test::require_random<Narrow, Forms>(gradient_of_op, allowed, r, r.elements(shape, of),
                                        r.elements(shape));
  });
}

TEST_CASE("Random second derivatives of relu, tanh, sigmoid", "[random]") {
  // That of relu does not depend on x, apart from its kink.
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>();
    auto const x = r.elements(shape, {-2, 2, is_not_zero});
    auto const of_relu = [&](auto const& h) {
      pl::tensor const in = in_type_of(h, x);
      return pl::gradient<7>(pl::sum(pl::relu(pl::leaf<7>(in)) * h));
    };
    test::require_random<float16, all_types>(of_relu, {}, r, r.elements(shape));
  });
  random_second<bfloat16, all_types>([](auto const& x) { return pl::tanh(x); });
  random_second<float16>([](auto const& x) { return pl::sigmoid(x); });
}
TEST_CASE("Random second derivatives of reciprocal, sqrt, rsqrt", "[random]") {
  random_second<float16>([](auto const& x) { return pl::reciprocal(x); }, {0.5, 2});
  random_second<bfloat16>([](auto const& x) { return pl::sqrt(x); }, {0.5, 2});
  random_second<float16, all_types>([](auto const& x) { return pl::rsqrt(x); }, {0.5, 2});
}
TEST_CASE("Random second derivatives of slices and gather", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>();
    std::vector<std::int64_t> rows;
    for (int i = 0; i != 4; ++i) rows.push_back(r.number(0, static_cast<int>(shape.n[0]) - 1));
    auto const at = pl::from(rows, pl::dextents<1>{{4}});
    auto const gathered = [&](auto const& x) {
      return pl::gradient<7>(pl::sum(pl::square(pl::gather(pl::leaf<7>(x), at, pl::axis<0>))));
    };
    test::require_random<float16, only_tape>(gathered, {}, r, r.elements(shape));
    auto const sliced = [](auto const& x) {
      return pl::gradient<7>(pl::sum(pl::square(pl::slice(pl::leaf<7>(x), 0))));
    };
    test::require_random<float16, only_tape>(sliced, {}, r, r.elements(shape));
  });
}

}  // namespace
