/// Derivatives of gradients of ops of nets, in the static form, and what broadcasts to batch
/// normalisation.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <support/second_derivatives.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>

using namespace placement;
using test::random_operands;
using test::reals;
using test::require_second_derivative;

TEST_CASE("second derivatives.Of softmax cross entropy", "[gradient]") {
  random_operands r(1);
  reals<2> const x = r.elements(shape(3, 4)), p = softmax(r.elements(shape(3, 4)));
  tensor<int, dextents<1>> const classes{3, 0, 1};
  require_second_derivative(
      [&](auto const&, auto const& a) { return sum(square(softmax_cross_entropy(a, classes))); },
      x);
  require_second_derivative(
      [&](auto const&, auto const& a) { return mean(softmax_cross_entropy(a, p)); }, x);
}

TEST_CASE("second derivatives.Of pools", "[gradient]") {
  random_operands r(2);
  reals<4> const x = r.elements(shape(2, 5, 4, 2));
  require_second_derivative(
      [](auto const&, auto const& a) {
        return sum(square(max_pool2d(a, {.window = {3, 2}, .strides = {2, 1}})));
      },
      x);
  require_second_derivative(
      [](auto const&, auto const& a) {
        return sum(square(avg_pool2d(a, {.window = {3, 2}, .strides = {1, 2}})));
      },
      x);
}

TEST_CASE("second derivatives.A third derivative of a max pool", "[gradient]") {
  reals<4> const x = reshape(tensor<double, dextents<1>>{1, 2, 4, 3}, shape(1, 2, 2, 1));
  auto const y = max_pool2d(leaf<0>(x));
  auto const third = gradient<0>(sum(gradient<0>(sum(gradient<0>(sum(y * y * y))))));
  CHECK(to_string(flatten(evaluate(third))) == "[0 0 6 0]");
}

TEST_CASE("second derivatives.The gradient of a max pool selects the first maximum, and NaN",
          "[gradient]") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  reals<4> const x = reshape(tensor<double, dextents<1>>{3, 3, nan, 1}, shape(1, 1, 4, 1));
  reals<4> const h = reshape(tensor<double, dextents<1>>{5, 6, 7, 8}, shape(1, 1, 4, 1));
  constexpr pool2d_options pairs{.window = {1, 2}};
  auto const e = sum(max_pool2d_gradient<pairs>(x, evaluate(max_pool2d<pairs>(x)),
                                                leaf<0>(reals<4>(zeros<double>(1, 1, 2, 1)))) *
                     h);
  CHECK(to_string(flatten(evaluate(gradient<0>(e)))) == "[5 7]");
}

TEST_CASE("second derivatives.Of convolutions", "[gradient]") {
  random_operands r(3);
  reals<4> const x = r.elements(shape(1, 4, 3, 2)), w = r.elements(shape(2, 2, 2, 2));
  require_second_derivative([&](auto const&, auto const& a) { return sum(square(conv2d(a, w))); },
                            x);
  require_second_derivative([&](auto const&, auto const& a) { return sum(square(conv2d(x, a))); },
                            w);
}

TEST_CASE("second derivatives.A gradient that broadcasts is summed whole by batch normalisation",
          "[gradient]") {
  random_operands r(6);
  reals<2> const x = r.elements(shape(5, 3));
  auto const m = batch_moments(x);
  // The sum over the batch is constant, so these gradients are 0.
  auto const number = mean(batch_norm_training(leaf<0>(x), m, without_scale_t{}, 0.5));
  CHECK(item(max(abs(evaluate(gradient<0>(number))))) < 1e-12);
  gradient_tape tape(x);
  tensor<double, extents<>> const taped =
      sum(square(sum(batch_norm_training(x, m, 2.0, 0.5), keep_dim(axis<0>))));
  CHECK(item(max(abs(tape.gradient(taped, x)))) < 1e-12);
}
