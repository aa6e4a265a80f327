// Small nets in statements: a residual block, an LSTM cell, an MLP mixer, attention, a U-Net and a
// variational autoencoder. The gradients are those of all parameters.
#include "op_table.hpp"

#include <placement/nets.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/tril.hpp>

#include <cmath>
#include <limits>

namespace peers { namespace {

using c_t = op_case const&;

auto convolved(auto const& x, auto const& filter, auto const& scale, auto const& offset) {
  tensor const y = conv2d<conv2d_options{.padding = same_padding}>(x, filter);
  return batch_norm(y, batch_moments(y), scale, offset, 1e-3);
}
auto residual_block(c_t, auto const& x, auto const& w1, auto const& s1, auto const& o1,
                    auto const& w2, auto const& s2, auto const& o2) {
  tensor const h = relu(convolved(x, w1, s1, o1));
  return relu(x + convolved(h, w2, s2, o2));
}

/// The last output of an LSTM over x (batch, time, features). Gates: input, forget, cell, output.
auto lstm(c_t, auto const& x, auto const& of_input, auto const& of_state, auto const& bias) {
  index_t const n = x.shape().at(0), width = of_state.shape().at(0);
  tensor<number, dextents<2>> h = zeros<number>(n, width), c = h;
  for (index_t t = 0; t != x.shape().at(1); ++t) {
    tensor const gates = matmul(slice(x, range{}, t), of_input) + matmul(h, of_state) + bias;
    auto const gate = [&](index_t i) {
      return slice(gates, range{}, range(i * width, (i + 1) * width));
    };
    c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
    h = sigmoid(gate(3)) * tanh(c);
  }
  return h;
}

auto perceptron(auto const& x, auto const& first, auto const& second) {
  return matmul(gelu(matmul(x, first)), second);
}
/// x: (batch, patches, channels).
auto mixer(c_t, auto const& x, auto const& t1, auto const& t2, auto const& c1, auto const& c2,
           auto const& scale, auto const& offset) {
  tensor const tokens = swapaxes(layer_norm(x, scale, offset, 1e-3), 1, 2);
  tensor const y = x + swapaxes(perceptron(tokens, t1, t2), 1, 2);
  return y + perceptron(layer_norm(y, scale, offset, 1e-3), c1, c2);
}

/// Causal self-attention of two heads. x: (batch, length, width).
auto attention(c_t, auto const& x, auto const& wq, auto const& wk, auto const& wv, auto const& wo) {
  index_t const n = x.shape().at(0), length = x.shape().at(1), width = x.shape().at(2);
  auto const heads = [&](auto const& w) {
    tensor const y = reshape(matmul(x, w), shape(n, length, 2, width / 2));
    return evaluate(swapaxes(y, 1, 2));
  };
  tensor const q = heads(wq), k = heads(wk), v = heads(wv);
  auto const scores = matmul(q, swapaxes(k, 2, 3)) / std::sqrt(static_cast<number>(width / 2));
  auto const seen = tril(ones<bool>(length, length));
  tensor const weights = softmax(where(seen, scores, -std::numeric_limits<number>::infinity()));
  tensor const joined = swapaxes(matmul(weights, v), 1, 2);
  return matmul(reshape(joined, shape(n, length, width)), wo);
}

/// A U-Net of two levels: the upper one is joined with what the lower one became.
auto unet(c_t, auto const& x, auto const& down, auto const& middle, auto const& up,
          auto const& joined, auto const& last) {
  constexpr conv2d_options same{.padding = same_padding};
  tensor const skip = relu(conv2d<same>(x, down));
  tensor const deep = relu(conv2d<same>(max_pool2d(skip), middle));
  tensor const wide = conv2d_transpose(deep, up, {.strides = {2, 2}});
  tensor const y = relu(conv2d<same>(concat(axis<3>, skip, wide), joined));
  return conv2d(y, last);
}

/// The loss of a variational autoencoder of each sample. Noise: a sample of the normal
/// distribution.
auto autoencoder(c_t c, auto const& x, auto const& encoder, auto const& of_mean,
                 auto const& of_log_variance, auto const& decoder) {
  tensor const h = tanh(matmul(x, encoder));
  tensor const mean = matmul(h, of_mean), log_variance = matmul(h, of_log_variance);
  tensor const z = mean + exp(log_variance / number(2)) * c.load<number, 2>("noise");
  tensor const logits = matmul(z, decoder);
  auto const cross_entropy = sum(softplus(logits) - x * logits, axis<1>);
  auto const divergence = square(mean) + exp(log_variance) - log_variance - number(1);
  return cross_entropy + sum(divergence, axis<1>) / number(2);
}

op const table[]{
    {"residual_block", ranks<4, 4, 1, 1, 4, 1, 1>{},
     [](c_t c, auto const&... x) { return residual_block(c, x...); }},
    {"lstm", ranks<3, 2, 2, 1>{}, [](c_t c, auto const&... x) { return lstm(c, x...); }},
    {"mixer", ranks<3, 2, 2, 2, 2, 1, 1>{}, [](c_t c, auto const&... x) { return mixer(c, x...); }},
    {"attention", ranks<3, 2, 2, 2, 2>{},
     [](c_t c, auto const&... x) { return attention(c, x...); }},
    {"unet", ranks<4, 4, 4, 4, 4, 4>{}, [](c_t c, auto const&... x) { return unet(c, x...); }},
    {"autoencoder", ranks<2, 2, 2, 2, 2>{},
     [](c_t c, auto const&... x) { return autoencoder(c, x...); }},
};

}}  // namespace peers
