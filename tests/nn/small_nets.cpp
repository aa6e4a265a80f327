// Nets of several statements, in double, whose gradients by a tape are compared with differences.
#include <placement/gradient.hpp>
#include <placement/nets.hpp>
#include <placement/ops/tril.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <tuple>

using namespace placement;
using test::random_operands;
using test::reals;

namespace {

using number_of = tensor<double, extents<>>;

/// Compares the gradients of loss(p...) by each p with central differences.
template <class L, class... P> void require_net(L const& loss, P... p) {
  gradient_tape tape(p...);
  number_of const value = loss(p...);
  auto const gradients = tape.gradient(value, p...);
  auto const again = [&] {
    no_gradient const pause;
    return item(number_of(loss(p...)));
  };
  test::require_gradients(again, std::tie(p...), gradients);
}

}  // namespace

TEST_CASE("small nets.An LSTM cell over three steps") {
  random_operands r(1);
  reals<2> const x = r.elements(shape(3, 2)), of_input = r.elements(shape(2, 12)),
                 of_state = r.elements(shape(3, 12));
  require_net(
      [&](reals<2> const& w, reals<2> const& u) -> number_of {
        reals<2> h = zeros<double>(1, 3), c = h;
        for (index_t t = 0; t != 3; ++t) {
          reals<2> const gates = matmul(slice(x, range{t, t + 1}), w) + matmul(h, u);
          auto const gate = [&](index_t i) {
            return slice(gates, range{}, range(i * 3, i * 3 + 3));
          };
          c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
          h = sigmoid(gate(3)) * tanh(c);
        }
        return sum(square(h));
      },
      of_input, of_state);
}

TEST_CASE("small nets.Causal attention") {
  random_operands r(2);
  reals<2> const x = r.elements(shape(4, 3)), mask = tril(ones<double>(4, 4));
  require_net(
      [&](reals<2> const& q, reals<2> const& k, reals<2> const& v) -> number_of {
        reals<2> const scores = matmul(matmul(x, q), transpose(matmul(x, k)));
        reals<2> const weights = softmax(where(mask > 0.0, scores, -1e9));
        return sum(square(matmul(weights, matmul(x, v))));
      },
      r.elements(shape(3, 2)), r.elements(shape(3, 2)), r.elements(shape(3, 2)));
}

TEST_CASE("small nets.A block of an MLP mixer") {
  random_operands r(3);
  reals<2> const x = r.elements(shape(4, 3));
  require_net(
      [&](reals<2> const& tokens, reals<2> const& channels) -> number_of {
        reals<2> const mixed = x + transpose(gelu(matmul(transpose(layer_norm(x)), tokens)));
        reals<2> const y = mixed + gelu(matmul(layer_norm(mixed), channels));
        return mean(square(y));
      },
      r.elements(shape(4, 4)), r.elements(shape(3, 3)));
}

TEST_CASE("small nets.A residual block of convolutions with batch normalisation") {
  random_operands r(4);
  reals<4> const x = r.elements(shape(2, 4, 3, 2));
  constexpr conv2d_options same{.padding = same_padding};
  require_net(
      [&](reals<4> const& first, reals<4> const& second, reals<1> const& scale) -> number_of {
        reals<4> const h = conv2d(x, first, same);
        reals<4> const a = silu(batch_norm_training(h, batch_moments(h), scale, 0.1));
        reals<4> const y = silu(x + conv2d(a, second, same));
        return sum(square(mean(y, axis<1, 2>)));
      },
      r.elements(shape(3, 3, 2, 2)), r.elements(shape(3, 3, 2, 2)), r.elements(shape(2)));
}

TEST_CASE("small nets.A U-Net of two levels") {
  random_operands r(5);
  reals<4> const images = r.elements(shape(2, 4, 6, 2)), wanted = r.elements(shape(2, 4, 6, 1));
  constexpr conv2d_options same{.padding = same_padding},
      doubled{.padding = same_padding, .strides = {2, 2}};
  require_net(
      [&](reals<4> const& down, reals<4> const& middle, reals<4> const& up, reals<4> const& joined,
          reals<4> const& last) -> number_of {
        reals<4> const skip = silu(conv2d(images, down, same));
        reals<4> const deep = silu(conv2d(avg_pool2d(skip), middle, same));
        reals<4> const wide = conv2d_transpose(deep, up, doubled);
        reals<4> const y = silu(conv2d(concat(axis<3>, skip, wide), joined, same));
        return mse(conv2d(y, last), wanted);
      },
      r.elements(shape(3, 3, 2, 3)), r.elements(shape(3, 3, 3, 4)), r.elements(shape(2, 2, 3, 4)),
      r.elements(shape(3, 3, 6, 2)), r.elements(shape(1, 1, 2, 1)));
}

TEST_CASE("small nets.A variational autoencoder samples by reparametrisation") {
  random_operands r(6);
  reals<2> const x = r.elements(shape(3, 5), 0, 1);
  require_net(
      [&](reals<2> const& encoder, reals<2> const& of_mean, reals<2> const& of_log_variance,
          reals<2> const& decoder) -> number_of {
        set_seed(7);  // the same sample for each difference
        reals<2> const h = tanh(matmul(x, encoder));
        reals<2> const mean = matmul(h, of_mean), log_variance = matmul(h, of_log_variance);
        reals<2> const z = mean + exp(log_variance * 0.5) * normal<double>(mean.shape());
        reals<2> const logits = matmul(z, decoder);
        auto const cross_entropy = sum(softplus(logits) - x * logits);
        auto const divergence = sum(square(mean) + exp(log_variance) - log_variance - 1.0) * 0.5;
        return cross_entropy + divergence;
      },
      r.elements(shape(5, 4), -0.5, 0.5), r.elements(shape(4, 2), -0.5, 0.5),
      r.elements(shape(4, 2), -0.5, 0.5), r.elements(shape(2, 5), -0.5, 0.5));
}
