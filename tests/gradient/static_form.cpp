// gradient_of and value_and_gradient: expressions of a function's value and of its gradients.
#include <placement/gradient.hpp>
#include <placement/nn.hpp>
#include <placement/ops/allclose.hpp>
#include <placement/ops/array_equal.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <tuple>
#include <type_traits>

using Catch::Approx;
using namespace placement;

namespace {

tensor<double, dextents<2>> const x{{1., 2.}, {3., -1.}, {0.5, 4.}};
tensor<double, dextents<2>> const w{{0.5, -1.}, {2., 0.25}};
tensor<double, dextents<1>> const b{0.125, -0.5};

auto const mean_square = [](auto const& weights, auto const& bias) {
  return mean(square(matmul(x, weights) + bias));
};

}  // namespace

TEST_CASE("gradient_of gives an expression for each operand") {
  auto const [dw, db] = gradient_of(mean_square, w, b);
  tensor const error = matmul(x, w) + b;
  tensor const expected_w = matmul(transpose(x), error) * (2. / 6);
  tensor const expected_b = sum(error, 0) * (2. / 6);
  CHECK(allclose(dw, expected_w, {.rtol = 1e-14}));
  CHECK(allclose(db, expected_b, {.rtol = 1e-14}));
}
TEST_CASE("value_and_gradient gives what the function and gradient_of give") {
  auto const [loss, dw, db] = value_and_gradient(mean_square, w, b);
  auto const [only_w, only_b] = gradient_of(mean_square, w, b);
  CHECK(item(loss) == item(mean_square(w, b)));
  CHECK(array_equal(dw, only_w));
  CHECK(array_equal(db, only_b));
}
TEST_CASE("value and gradients are assigned together") {
  auto const [loss, dw, db] = value_and_gradient(mean_square, w, b);
  tensor<double, extents<>> value = zeros<double>(extents<>{});
  tensor<double, dextents<2>> of_w;
  tensor<double, dextents<1>> of_b;
  evaluate(into(value) = loss, into(of_w) = dw, into(of_b) = db);
  CHECK(item(value) == item(loss));
  CHECK(array_equal(of_w, dw));
  CHECK(array_equal(of_b, db));
}
TEST_CASE("a gradient by an operand of static extents is one element-wise kernel") {
  auto const f = [](auto const& p, auto const& q) { return sum(p * exp(p) * q); };
  tensor<double, extents<3>> const p{1., 2., 3.}, q{4., 5., 6.};
  auto const [value, dp, dq] = value_and_gradient(f, p, q);
  CHECK(plan_of(dp, machine{}).kernels == 1);
  CHECK(plan_of(dq, machine{}).kernels == 1);
  CHECK(allclose(dp, (exp(p) + p * exp(p)) * q, {.rtol = 1e-14}));
  CHECK(allclose(dq, p * exp(p), {.rtol = 1e-14}));
  CHECK(item(value) == item(sum(p * exp(p) * q)));
}
TEST_CASE("a gradient by an operand of run-time extents is summed only where it was broadcast") {
  auto const f = [](auto const& p, auto const& q) { return sum(tanh(p * q + 1.)); };
  tensor const p{1., 2., 3.}, q{4., 5., 6.}, one{2.};
  auto const [dp, dq] = gradient_of(f, p, q);
  CHECK(plan_of(dp).kernels == 1);
  CHECK(plan_of<decltype(dp)>(machine{}).kernels == 1);
  auto const slope = [](auto const& y) { return 1. - square(y); };
  CHECK(allclose(dp, slope(tanh(p * q + 1.)) * q, {.rtol = 1e-14}));
  CHECK(allclose(dq * 2. + p, slope(tanh(p * q + 1.)) * p * 2. + p, {.rtol = 1e-14}));

  auto const [of_many, of_one] = gradient_of(f, p, one);
  CHECK(plan_of(of_many).kernels == 1);
  CHECK(plan_of(of_one).kernels > 1);
  CHECK(allclose(of_many, slope(tanh(p * 2. + 1.)) * 2., {.rtol = 1e-14}));
  CHECK(to_vector(of_one)[0] == Approx(item(sum(slope(tanh(p * 2. + 1.)) * p))));
  auto const [all, many, one_alone] = value_and_gradient(f, p, one);
  tensor<double, extents<>> value = zeros<double>(extents<>{});
  tensor<double, dextents<1>> grown;
  evaluate(into(value) = all, into(grown) = one_alone);
  CHECK(item(value) == item(f(p, one)));
  CHECK(array_equal(grown, of_one));
  CHECK(array_equal(many, of_many));

  // Second derivatives pass through the sum.
  auto const twice = gradient<1>(sum(square(gradient<1>(f(leaf<0>(p), leaf<1>(one))))));
  double const step = 1e-5;
  auto const norm_at = [&](double by) {
    tensor const moved{2. + by};
    tensor const g = gradient<1>(f(leaf<0>(p), leaf<1>(moved)));
    return item(sum(square(g)));
  };
  CHECK(item(twice[0]) == Approx((norm_at(step) - norm_at(-step)) / (2 * step)).epsilon(1e-6));
}
TEST_CASE("a gradient that is zero everywhere is zeros") {
  auto const first = gradient<0>(sum(relu(leaf<0>(w)) * w));
  auto const second = gradient<0>(sum(first * 3.));
  CHECK(array_equal(second, zeros<double>(w.shape())));
  CHECK(second.shape() == w.shape());
}
TEST_CASE("the value of value_and_gradient can be differentiated again") {
  auto const cube = [](auto const& t) { return sum(t * t * t); };
  tensor const t{1., -2., 3.};
  auto const [value, first] = value_and_gradient(cube, t);
  auto const twice = gradient<0>(sum(first));
  CHECK(allclose(twice, 6. * t, {.rtol = 1e-14}));
  CHECK(item(gradient<0>(value)[0]) == 3.);
}
