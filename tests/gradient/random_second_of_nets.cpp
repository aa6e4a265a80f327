// Derivatives of gradients of nets' ops, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/nets.hpp>
#include <support/random_derivatives.hpp>

#include <cstdint>

namespace pl = placement;
using pl::float16;
using test::forms, test::random_draws;

namespace {

constexpr forms only_tape{false, test::every_combination, false};

/// x in the element type of `like`.
template <class Like, class X> auto in_type_of(Like const&, pl::tensor<double, X> const& x) {
  return test::in_type<typename Like::value_type>(x);
}

TEST_CASE("Random second derivatives of softmax_cross_entropy", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>(1, 4);
    std::vector<std::int64_t> classes;
    for (pl::index_t i = 0; i != shape.n[0]; ++i)
      classes.push_back(r.number(0, static_cast<int>(shape.n[1]) - 1));
    auto const labels = pl::from(classes, pl::dextents<1>{{shape.n[0]}});
    auto const entropy = [&](auto const& x, auto const& g) {
      return pl::softmax_cross_entropy_gradient(x, labels, g);
    };
    test::require_random<float16, only_tape>(entropy, {}, r, r.elements(shape),
                                             r.elements(pl::dextents<1>{{shape.n[0]}}));
  });
}
TEST_CASE("Random second derivatives of pools", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    pl::dextents<4> const images{{r.number(1, 2), r.number(3, 5), r.number(3, 5), 2}};
    auto const x = r.elements(images, {.distinct = true});
    auto const y = pl::evaluate(pl::max_pool2d(x));
    auto const h = r.elements(y.shape());
    auto const of_mean = [&](auto const& g) { return pl::avg_pool2d_gradient(g, images); };
    test::require_random<float16, only_tape>(of_mean, {}, r, h);
    auto const of_maximum = [&](auto const& g) {
      return pl::max_pool2d_gradient(in_type_of(g, x), in_type_of(g, y), g);
    };
    test::require_random<float16, only_tape>(of_maximum, {}, r, h);
    // The gradient of that by g: what of x is at the maxima.
    auto const twice = [&](auto const& all) {
      return pl::gradient<7>(pl::sum(pl::max_pool2d_gradient(in_type_of(all, x), in_type_of(all, y),
                                                             pl::leaf<7>(in_type_of(all, h))) *
                                     all));
    };
    test::require_random<float16, only_tape>(twice, {}, r, r.elements(images));
  });
}
TEST_CASE("Random second derivatives of batch_norm_training", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    pl::index_t const channels = r.number(1, 3);
    pl::dextents<2> const shape{{r.number(4, 6), channels}};
    auto const x = r.elements(shape);
    auto const of_training = [](auto const& all, auto const& scale) {
      auto const m = pl::batch_moments(all);
      return pl::gradient<7>(
          pl::sum(pl::square(pl::batch_norm_training(pl::leaf<7>(all), m, scale, 0.5, 0.125))));
    };
    test::require_random<float16, forms{false, false, false}>(
        of_training, {}, r, x, r.elements(pl::dextents<1>{{channels}}, {0.5, 2}));
  });
}

}  // namespace
