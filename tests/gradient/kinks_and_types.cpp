/// Derivatives where a function is not smooth, second derivatives, and types of 16 bits.

#include <placement/gradient.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <type_traits>

using namespace placement;

namespace {

using reals = tensor<double, dextents<1>>;
using number_of = tensor<double, extents<>>;

/// The gradient of sum(f(x) * w) by x, as text.
template <class F> std::string gradient_at(F const& f, reals const& x, reals const& w) {
  gradient_tape tape(x);
  number_of const loss = sum(f(x) * w);
  return to_string(tape.gradient(loss, x));
}

TEST_CASE("relu and abs have the derivative 0 at 0", "[gradient]") {
  reals const x{-1, 0, 1}, w{2, 3, 4};
  CHECK(gradient_at([](auto const& t) { return relu(t); }, x, w) == "[0 0 4]");
  CHECK(gradient_at([](auto const& t) { return abs(t); }, x, w) == "[-2 0 4]");
}
TEST_CASE("clamp passes gradients at its bounds", "[gradient]") {
  CHECK(gradient_at([](auto const& t) { return clamp(t, 0.0, 1.0); }, {-1, 0, 0.5, 1, 2},
                    {1, 1, 1, 1, 1}) == "[0 1 1 1 0]");
}
TEST_CASE("Ties of maximum and minimum go to the first operand", "[gradient]") {
  reals const a{1, 2, 3}, b{2, 2, 2};
  gradient_tape tape(a, b);
  number_of const loss = sum(maximum(a, b) * 10.0 + minimum(a, b));
  auto const [of_a, of_b] = tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[1 11 10]");
  CHECK(to_string(of_b) == "[10 0 1]");
}
TEST_CASE("Ties of max share the gradient equally", "[gradient]") {
  reals const x{1, 4, 4, 0, 4, 4};
  gradient_tape tape(x);
  number_of const loss = max(x) + sum(min(reshape(x, shape(2, 3)), axis<1>));
  CHECK(to_string(tape.gradient(loss, x)) == "[1 0.25 0.25 1 0.25 0.25]");
}
TEST_CASE("The product of elements with zeros", "[gradient]") {
  auto const f = [](auto const& t) { return prod(t); };
  reals const one{1};
  CHECK(gradient_at(f, {2, 3, 4}, one) == "[12 8 6]");
  CHECK(gradient_at(f, {2, 0, 4}, one) == "[0 8 0]");
  CHECK(gradient_at(f, {0, 0, 4}, one) == "[0 0 0]");
}
TEST_CASE("pow at 0, and of negative numbers", "[gradient]") {
  reals const a{0, -2}, b{2, 3};
  gradient_tape tape(a, b);
  number_of const loss = sum(pow(a, b));
  auto const [of_a, of_b] = tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[0 12]");
  CHECK(to_string(of_b) == "[0 -0]");
}
TEST_CASE("unconnected_zeros gives zeros for a loss of no elements", "[gradient]") {
  matrix<double> const none = zeros<double>(0, 2);
  reals const w{1, 2};
  gradient_tape tape(w);
  number_of const loss = sum(sum(none * w, axis<0>) * w);
  CHECK(to_string(tape.gradient(unconnected_zeros, loss, w)) == "[0 0]");
}

// ---- second derivatives

TEST_CASE("The gradient of an expression can be differentiated again", "[gradient]") {
  test::with_random_operands([](auto& r) {
    auto const shape = dextents<1>{{r.extent()}};
    test::require_derivatives<!test::every_combination>(
        [](auto const& x) {
          auto const e = sum(square(leaf<7>(x)) * x);
          return gradient<7>(e);
        },
        r.elements(shape));
  });
}

// ---- other types

/// The gradient of a small network in T.
template <class T> tensor<float, dextents<1>> network_gradient() {
  using vec = tensor<T, dextents<1>>;
  vec const w = cast<T>(tensor<float, dextents<1>>{0.5f, -1.f, 2.f});
  matrix<T> const x = cast<T>(matrix<float>{{1.f, 2.f, 3.f}, {-1.f, 0.5f, 1.f}});
  gradient_tape tape(w);
  vec const h = tanh(matmul(x, w) * T(0.25f));
  tensor<T, extents<>> const loss = mean(square(h)) + sum(exp(w)) * T(0.125f);
  vec const g = tape.gradient(loss, w);
  return cast<float>(g);
}
TEST_CASE("Gradients of float16 and bfloat16 are close to those of float", "[gradient]") {
  auto const exact = network_gradient<float>();
  CHECK(item(max(abs(network_gradient<float16>() - exact))) < 4e-3f);
#ifdef PLACEMENT_EVERY_COMBINATION
  CHECK(item(max(abs(network_gradient<bfloat16>() - exact))) < 3e-2f);
#endif
}
TEST_CASE("The gradient of a sum or mean in a wider type has the operand's type", "[gradient]") {
  tensor<float, dextents<1>> const x{1, 2, 3, 4};
  gradient_tape tape(x);
  number_of const loss = sum<double>(x * x) + mean<double>(x);
  auto const g = tape.gradient(loss, x);
  static_assert(std::is_same_v<decltype(g)::value_type, float>);
  CHECK(to_string(g) == "[2.25 4.25 6.25 8.25]");
}
TEST_CASE("The gradient of a cast has the operand's type", "[gradient]") {
  tensor<float, dextents<1>> const x{1, 2};
  gradient_tape tape(x);
  number_of const loss = sum(square(cast<double>(x)));
  CHECK(to_string(tape.gradient(loss, x)) == "[2 4]");
}

}  // namespace
