// Derivatives of convolutions and pools, over random shapes, options and types.
#include <placement/gradient.hpp>

#include <placement/nets.hpp>
#include <support/random_derivatives.hpp>

#include <type_traits>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::forms, test::random_draws, test::with_static;

namespace {

constexpr forms only_double{test::every_combination, false, false};

struct random_convolution {
  pl::conv2d_options options;
  pl::dextents<4> images, filter, results;

  explicit random_convolution(random_draws& r) {
    pl::index_t const groups = r.number(1, 2), h = r.number(1, 3), w = r.number(1, 3);
    options.groups = groups;
    options.strides = {r.number(1, 2), r.number(1, 2)};
    options.dilations = {r.number(1, 2), r.number(1, 2)};
    if (r.number(0, 1) == 0) options.padding = pl::same_padding;
    filter = {{h, w, r.number(1, 2), groups * r.number(1, 2)}};
    images = {
        {r.number(1, 2), 2 * h + r.number(0, 2), 2 * w + r.number(0, 2), groups * filter.n[2]}};
    results = pl::conv2d(r.elements(images), r.elements(filter), options).shape();
  }
};

TEST_CASE("Random derivatives of conv2d", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    random_convolution const c(r);
    test::require_random<float16, with_static>(
        [&](auto const& x, auto const& w) { return pl::conv2d(x, w, c.options); }, {16, 8}, r,
        r.elements(c.images), r.elements(c.filter));
  });
}
TEST_CASE("Random derivatives of the gradients of conv2d", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    random_convolution const c(r);
    auto const g = r.elements(c.results);
    test::require_random<float16, only_double>(
        [&](auto const& w, auto const& y) {
          return pl::conv2d_input_gradient(w, y, c.images, c.options);
        },
        {}, r, r.elements(c.filter), g);
    test::require_random<float16, only_double>(
        [&](auto const& x, auto const& y) {
          return pl::conv2d_filter_gradient(x, y, c.filter, c.options);
        },
        {}, r, r.elements(c.images), g);
  });
}
TEST_CASE("Random derivatives of conv2d_transpose", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    random_convolution c(r);
    c.options.padding = {};
    c.images.n[3] = c.filter.n[3];
    test::require_random<bfloat16, forms{false, test::every_combination, true}>(
        [&](auto const& x, auto const& w) { return pl::conv2d_transpose(x, w, c.options); },
        {16, 8}, r, r.elements(c.images), r.elements(c.filter));
  });
}
// The op takes floats. Its gradients are compared with those of its parts in double.
TEST_CASE("Random derivatives of conv2d_relu_max_pool2d", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    pl::index_t const channels = r.number(1, 2), filters = r.number(1, 3);
    test::require_random<float16, forms{false, true, false}>(
        [](auto const& x, auto const& w, auto const& b) {
          if constexpr (std::is_same_v<typename std::decay_t<decltype(x)>::value_type, float>)
            return pl::conv2d_relu_max_pool2d(x, w, b);
          else return pl::max_pool2d(pl::relu(pl::conv2d(x, w) + b));
        },
        {16, 8}, r, r.elements(pl::dextents<4>{{2, r.number(3, 6), r.number(3, 6), channels}}),
        r.elements(pl::dextents<4>{{2, 2, channels, filters}}),
        r.elements(pl::dextents<1>{{filters}}));
  });
}
TEST_CASE("Random derivatives of pools", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    pl::pool2d_options o{.window = {r.number(1, 3), r.number(1, 3)},
                         .strides = {r.number(1, 2), r.number(1, 2)}};
    if (r.number(0, 1) == 0) o.padding = pl::same_padding;
    pl::dextents<4> const shape{{r.number(1, 2), r.number(3, 6), r.number(3, 6), r.number(1, 3)}};
    auto const x = r.elements(shape, {.distinct = true});
    test::require_random<float16, forms{}>([&](auto const& a) { return pl::max_pool2d(a, o); }, {},
                                           r, x);
    test::require_random<bfloat16, forms{}>([&](auto const& a) { return pl::avg_pool2d(a, o); }, {},
                                            r, x);
  });
}
TEST_CASE("Random derivatives of global pools", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const x = r.elements(r.shape<4>(1, 4), {.distinct = true});
    test::require_random<float16, forms{}>([](auto const& a) { return pl::global_max_pool2d(a); },
                                           {}, r, x);
    test::require_random<bfloat16, forms{}>([](auto const& a) { return pl::global_avg_pool2d(a); },
                                            {}, r, x);
  });
}

}  // namespace
