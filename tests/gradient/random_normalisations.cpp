// Derivatives of batch and layer normalisation, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/nets.hpp>
#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::forms, test::is_not_zero, test::random_draws;

namespace {

/// Moments and factors are computed at once: there is no static form. Those of 16-bit numbers are
/// of float.
constexpr forms of_wide{false, test::every_combination, false};
constexpr forms all_types{false, test::every_combination, true};

/// 5 random batches of 4 to 6 rows, with a scale and an offset of their channels.
template <class F> void for_batches(F const& f) {
  test::for_seeds(1, [&](random_draws& r) {
    pl::index_t const n = r.number(4, 6), channels = r.number(1, 3);
    auto const row = pl::dextents<1>{{channels}};
    f(r, n, r.elements(pl::dextents<2>{{n, channels}}), r.elements(row, {0.5, 2}), r.elements(row));
  });
}

TEST_CASE("Random derivatives of batch_norm, through the moments of the batch", "[random]") {
  for_batches([](random_draws& r, auto, auto const& x, auto const& scale, auto const& offset) {
    auto const norm = [](auto const& a, auto const& s, auto const& o) {
      return pl::batch_norm(a, pl::batch_moments(a), s, o, 0.125);
    };
    test::require_random<float16, of_wide>(norm, {16, 4}, r, x, scale, offset);
    auto const of_numbers = [](auto const& a) {
      return pl::batch_norm(a, pl::batch_moments(a), 2, 0.5, 0.125);
    };
    test::require_random<float16, all_types>(of_numbers, {16, 4}, r, x);
  });
}
TEST_CASE("Random derivatives of batch_norm_training", "[random]") {
  for_batches([](random_draws& r, auto n, auto const&, auto const& scale, auto const& offset) {
    auto const norm = [](auto const& a, auto const& s, auto const& o) {
      return pl::batch_norm_training(a, pl::batch_moments(a), s, o, 0.125);
    };
    auto const images = r.elements(pl::dextents<4>{{n, 2, 3, scale.shape().at(0)}});
    test::require_random<float16, of_wide>(norm, {16, 4}, r, images, scale, offset);
  });
}
TEST_CASE("Random derivatives of batch_norm_training without a scale, relu and max_pool2d",
          "[random]") {
  for_batches([](random_draws& r, auto n, auto const&, auto const& scale, auto const& offset) {
    auto const norm = [](auto const& a, auto const& o) {
      return pl::batch_norm_training(a, pl::batch_moments(a), pl::without_scale_t{}, o, 0.125);
    };
    auto const images =
        r.elements(pl::dextents<4>{{n, 3, 4, scale.shape().at(0)}}, {.distinct = true});
    test::require_random<float16, of_wide>(norm, {16, 4}, r, images, offset);
    auto const pooled = [&](auto const& a, auto const& o) {
      return pl::max_pool2d(pl::relu(norm(a, o)));
    };
    test::require_random<float16, of_wide>(pooled, {16, 4}, r, images, offset);
  });
}
TEST_CASE("Random derivatives of layer_norm", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    pl::index_t const n = r.number(2, 20);
    auto const row = pl::dextents<1>{{n}};
    auto const x = r.elements(pl::dextents<2>{{r.number(1, 3), n}});
    test::require_random<bfloat16, all_types>(
        [](auto const& a) { return pl::layer_norm(a, 0.125); }, {16, 4}, r, x);
    test::require_random<bfloat16, of_wide>(
        [](auto const& a, auto const& s, auto const& o) { return pl::layer_norm(a, s, o, 0.125); },
        {16, 4}, r, x, r.elements(row, {0.5, 2}), r.elements(row));
  });
}

}  // namespace
