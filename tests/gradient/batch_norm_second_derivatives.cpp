/// Second derivatives of batch normalisation. In nightly runs, because they take a minute to
/// compile.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <support/second_derivatives.hpp>

#include <catch2/catch_test_macros.hpp>

#include <tuple>

using namespace placement;
using test::random_operands;
using test::reals;
using test::require_second_derivative;

TEST_CASE("second derivatives.Of batch normalisation in training, also through the moments",
          "[gradient]") {
  random_operands r(4);
  reals<2> const x = r.elements(shape(5, 3)), w = r.elements(shape(5, 3));
  reals<1> const scale = r.elements(shape(3)), offset = r.elements(shape(3));
  require_second_derivative(
      [&](auto const& t, auto const& a) {
        return sum(square(batch_norm_training(a, batch_moments(t), scale, offset)) * w);
      },
      x);
}

TEST_CASE("second derivatives.Of batch normalisation by x, then by the scale", "[gradient]") {
  random_operands r(5);
  reals<2> const x = r.elements(shape(5, 3)), w = r.elements(shape(5, 3)),
                 v = r.elements(shape(5, 3));
  reals<1> scale = r.elements(shape(3));
  auto const m = batch_moments(x);
  auto const of_scale = [&](auto const& s) {
    auto const loss = sum(square(batch_norm_training(leaf<7>(x), m, s, 0.0)) * w);
    return sum(gradient<7>(loss) * v);
  };
  auto const value = [&] { return item(of_scale(scale)); };
  reals<1> const second = gradient<8>(of_scale(leaf<8>(scale)));
  test::require_gradients(value, std::tie(scale), std::tuple{second});
}
