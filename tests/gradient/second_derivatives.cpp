/// Derivatives of gradients of ops of nets, in the static form, and what broadcasts to batch
/// normalisation.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>
#include <tuple>

using namespace placement;
using test::random_operands;
using test::reals;

namespace {

/// Compares the gradient of sum(gradient<7>(loss(x, leaf<7>...)) * w), for weights w, by x with
/// central differences. loss(x, e): reads the elements of the tensor x as the expression e.
template <class L, class X> void require_second_derivative(L const& loss, X x) {
  random_operands r(9);
  X const w = r.elements(x.shape(), 0.5, 1.5);
  auto const weighted = [&](auto const& e) { return sum(gradient<7>(loss(x, leaf<7>(e))) * w); };
  auto const value = [&] { return item(weighted(x)); };
  X const second = gradient<8>(weighted(leaf<8>(x)));
  test::require_gradients(value, std::tie(x), std::tuple{second});
}

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

}  // namespace
