// Derivatives of losses, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/nets.hpp>
#include <support/random_derivatives.hpp>

#include <algorithm>
#include <cstdint>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::forms, test::is_even, test::is_odd;
using test::random_draws, test::random_unary, test::with_static;

namespace {

/// Rows of probabilities, of 1 to 4 classes: such as 1/8, 1/8, 1/4, 1/2, rotated.
template <class X> auto probabilities(random_draws& r, X const& shape) {
  std::vector<double> all;
  for (pl::index_t i = 0; i != shape.n[0]; ++i) {
    std::vector<double> row{1};
    while (static_cast<pl::index_t>(row.size()) != shape.n[1]) {
      row.front() /= 2;
      row.insert(row.begin(), row.front());
    }
    std::rotate(row.begin(), row.begin() + r.number(0, static_cast<int>(row.size()) - 1),
                row.end());
    all.insert(all.end(), row.begin(), row.end());
  }
  return pl::from(all, shape);
}

}  // namespace

TEST_CASE("Random derivatives of mse, huber and l2_loss", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>();
    auto const a = r.elements(shape), b = r.elements(shape, {-2, 2, is_odd});
    test::require_random<float16, with_static>(
        [](auto const& x, auto const& y) { return pl::mse(x, y); }, {}, r, a, b);
    // Differences of even and odd numbers: neither 0 nor the bound.
    test::require_random<bfloat16, forms{}>(
        [](auto const& x, auto const& y) { return pl::huber(x, y, 0.5); }, {}, r,
        r.elements(shape, {-2, 2, is_even}), b);
  });
  random_unary<float16>([](auto const& x) { return pl::l2_loss(x); });
}
TEST_CASE("Random derivatives of softmax_cross_entropy", "[random]") {
  test::for_seeds(1, [](random_draws& r) {
    auto const shape = r.shape<2>(1, 4);
    auto const x = r.elements(shape);
    std::vector<std::int64_t> classes;
    for (pl::index_t i = 0; i != shape.n[0]; ++i)
      classes.push_back(r.number(0, static_cast<int>(shape.n[1]) - 1));
    auto const labels = pl::from(classes, pl::dextents<1>{{shape.n[0]}});
    test::require_random<bfloat16, forms{}>(
        [&](auto const& a) { return pl::softmax_cross_entropy(a, labels); }, {}, r, x);
    test::require_random<float16, forms{}>(
        [](auto const& a, auto const& p) { return pl::softmax_cross_entropy(a, p); }, {}, r, x,
        probabilities(r, shape));
  });
}
