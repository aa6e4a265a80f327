// The derivatives of ops of nets, by a tape.
#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

using namespace placement;
using test::random_operands;
using test::reals;
using test::require_derivatives;

TEST_CASE("Derivatives of activations", "[gradient]") {
  random_operands r(1);
  auto const x = r.elements(shape(3, 4));
  require_derivatives<true>([](auto const& a) { return leaky_relu(a, 0.2); }, x);
  require_derivatives<true>([](auto const& a) { return elu(a, 1.3); }, x);
  require_derivatives<true>([](auto const& a) { return silu(a); }, x);
  require_derivatives<true>([](auto const& a) { return softplus(a); }, x);
  require_derivatives<true>([](auto const& a) { return gelu(a); }, x);
  require_derivatives<true>([](auto const& a) { return gelu<gelu_form::tanh>(a); }, x);
}

TEST_CASE("Derivatives of losses", "[gradient]") {
  random_operands r(2);
  auto const x = r.elements(shape(3, 4)), y = r.elements(shape(3, 4));
  require_derivatives<true>([](auto const& a, auto const& b) { return mse(a, b); }, x, y);
  require_derivatives<true>([](auto const& a, auto const& b) { return huber(a, b, 0.5); }, x, y);
  require_derivatives<true>([](auto const& a) { return l2_loss(a); }, x);

  tensor<int, dextents<1>> const classes{3, 0, 1};
  require_derivatives<true>([&](auto const& a) { return softmax_cross_entropy(a, classes); }, x);
  reals<2> const p = softmax(y);
  require_derivatives<true>([&](auto const& a) { return softmax_cross_entropy(a, p); }, x);
  require_derivatives<true>([&](auto const& a) { return softmax_cross_entropy(y, softmax(a)); }, x);
}

TEST_CASE("Derivatives of batch normalisation, also through the moments", "[gradient]") {
  random_operands r(3);
  auto const x = r.elements(shape(5, 2, 3)), weight = r.elements(shape(5, 2, 3));
  auto const scale = r.elements(shape(3)), offset = r.elements(shape(3));
  auto const loss = [&] {
    auto const m = batch_moments(x);
    return tensor<double, extents<>>(sum(batch_norm(x, m, scale, offset) * weight));
  };
  auto x1 = x;
  auto scale1 = scale, offset1 = offset;
  auto const changed = [&] {
    auto const m = batch_moments(x1);
    return item(sum(batch_norm(x1, m, scale1, offset1) * weight));
  };
  gradient_tape tape(x, scale, offset);
  auto const gradients = tape.gradient(loss(), x, scale, offset);
  test::require_gradients(changed, std::tie(x1, scale1, offset1), gradients);
  gradient_tape other(x, scale, offset);
  auto const m = batch_moments(x);
  tensor<double, extents<>> const at_once = sum(batch_norm_training(x, m, scale, offset) * weight);
  test::require_gradients(changed, std::tie(x1, scale1, offset1),
                          other.gradient(at_once, x, scale, offset));
}

TEST_CASE("Derivatives of layer normalisation", "[gradient]") {
  random_operands r(4);
  auto const x = r.elements(shape(2, 3, 21));
  auto const scale = r.elements(shape(21)), offset = r.elements(shape(21));
  require_derivatives<true>([](auto const& a) { return layer_norm(a, 1e-3); }, x);
  require_derivatives<true>(
      [](auto const& a, auto const& s, auto const& o) { return layer_norm(a, s, o); }, x, scale,
      offset);
}

TEST_CASE("Layer normalisation of 16-bit numbers has gradients of float for scale and offset",
          "[gradient]") {
  tensor<float16, dextents<2>> const x = cast<float16>(uniform<float>(shape(3, 5)));
  tensor<float, dextents<2>> const wide = cast<float>(x);
  tensor<float, dextents<1>> const scale = uniform<float>(shape(5)),
                                   offset = uniform<float>(shape(5));
  auto const gradients = [&](auto const& images) {
    gradient_tape tape(scale, offset);
    tensor const loss = sum(cast<float>(layer_norm(images, scale, offset)));
    return tape.gradient(loss, scale, offset);
  };
  auto const [of_scale, of_offset] = gradients(x);
  auto const [expected_scale, expected_offset] = gradients(wide);
  CHECK(item(max(abs(of_scale - expected_scale))) < 1e-2f);
  CHECK(to_string(of_offset) == "[3 3 3 3 3]");
  CHECK(to_string(expected_offset) == "[3 3 3 3 3]");
}

TEST_CASE("Layer normalisation is that of the moments of each row", "[gradient]") {
  for (index_t n : {1, 5, 16, 64, 100, 700}) {
    tensor<float, dextents<2>> const x = uniform<float>(shape(3, n), 100.f, 101.f);
    tensor<float, dextents<1>> const scale = uniform<float>(shape(n)),
                                     offset = uniform<float>(shape(n));
    tensor<float, dextents<2>> const y = layer_norm(x, scale, offset), plain = layer_norm(x);
    for (index_t r = 0; r != 3; ++r) {
      double mean = 0, squares = 0;
      auto const at = [&](auto const& t, index_t j) {
        return static_cast<double>(t.data()[r * n + j]);
      };
      for (index_t j = 0; j != n; ++j) mean += at(x, j) / static_cast<double>(n);
      for (index_t j = 0; j != n; ++j)
        squares += (at(x, j) - mean) * (at(x, j) - mean) / static_cast<double>(n);
      double worst = 0;
      for (index_t j = 0; j != n; ++j) {
        double const exact = (at(x, j) - mean) / std::sqrt(squares + 1e-5);
        double const scaled =
            exact * static_cast<double>(scale.data()[j]) + static_cast<double>(offset.data()[j]);
        worst = std::max({worst, std::abs(at(plain, j) - exact), std::abs(at(y, j) - scaled)});
      }
      CHECK(worst < 5e-5);  // a rounding of the mean, 4e-6, times 1 / deviation
    }
  }
  tensor<float, dextents<2>> const x = uniform<float>(shape(3, 4));
  tensor<float, dextents<1>> const three = uniform<float>(shape(3));
  try {
    (void)evaluate(layer_norm(x, three, three));
    FAIL("a scale of another length was accepted");
  } catch (shape_error const& e) {
    CHECK(std::string(e.what()).starts_with(
        "placement: layer_norm of shape [3, 4] with a scale of shape [3]. Give a vector of 4"));
  }
  tensor<float, dextents<2>> const empty = layer_norm(uniform<float>(shape(0, 4)));
  CHECK(empty.shape().at(0) == 0);
}

TEST_CASE("Derivatives of dropout use its mask", "[gradient]") {
  random_operands r(4);
  random_stream const key = next_random_stream();
  require_derivatives<true>([&](auto const& a) { return dropout(a, 0.5, key); },
                            r.elements(shape(4, 5)));
}

TEST_CASE("Derivatives of convolutions", "[gradient]") {
  random_operands r(5);
  auto const x = r.elements(shape(2, 6, 5, 2)), w = r.elements(shape(3, 2, 2, 3));
  require_derivatives<true>([](auto const& a, auto const& b) { return conv2d(a, b); }, x, w);
  require_derivatives<true>(
      [](auto const& a, auto const& b) {
        return conv2d(a, b, {.padding = same_padding, .strides = {2, 1}});
      },
      x, w);
  require_derivatives<true>(
      [](auto const& a, auto const& b) { return conv2d(a, b, {.groups = 2}); }, x,
      r.elements(shape(3, 2, 1, 4)));
  auto const g = r.elements(shape(2, 4, 4, 3));
  require_derivatives<true>(
      [](auto const& a, auto const& b) { return conv2d_input_gradient(a, b, shape(2, 6, 5, 2)); },
      w, g);
  require_derivatives<true>(
      [](auto const& a, auto const& b) { return conv2d_filter_gradient(a, b, shape(3, 2, 2, 3)); },
      x, g);
}

TEST_CASE("Derivatives of pools", "[gradient]") {
  random_operands r(6);
  auto const x = r.elements(shape(2, 6, 5, 2));
  require_derivatives<true>([](auto const& a) { return max_pool2d(a); }, x);
  require_derivatives<true>(
      [](auto const& a) {
        return avg_pool2d(a, {.window = {3, 2}, .strides = {1, 2}, .padding = same_padding});
      },
      x);
  require_derivatives<true>([](auto const& a) { return global_avg_pool2d(a); }, x);
  require_derivatives<true>([](auto const& a) { return global_max_pool2d(a); }, x);
}
