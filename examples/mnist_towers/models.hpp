#pragma once
/// Two models of digits. They contain no gradients and no device placement.

#include "digits.hpp"

#include <placement/ops/softmax_cross_entropy.hpp>

#include <cmath>
#include <string_view>
#include <vector>

namespace mnist {

/// The learned parameters: weights and biases. A bias is a matrix of one row.
using variables = std::vector<matrix>;

/// The results of a tower for its part of a batch.
struct findings {
  scalar loss;  ///< mean over the part
  variables gradient;
};

/// The loss and the gradients of a model. The tape records what depends on the variables.
template <class Model> findings learn(variables const& v, matrix const& x, classes const& labels) {
  pl::gradient_tape tape(v);
  matrix const logits = Model::logits(v, x);
  scalar const loss = pl::mean(pl::softmax_cross_entropy(logits, labels));
  return {loss, tape.gradient(loss, v)};
}

/// Multinomial logistic regression: softmax(x w + b).
struct softmax_regression {
  static constexpr std::string_view name = "softmax regression";
  static constexpr float rate = 0.1f;

  static variables start() {
    return {pl::zeros<float>(pixels, digit_count), pl::zeros<float>(1, digit_count)};
  }
  static matrix logits(variables const& v, matrix const& x) { return pl::matmul(x, v[0]) + v[1]; }
};

/// A perceptron with one hidden layer: softmax(relu(x w1 + b1) w2 + b2).
struct perceptron {
  static constexpr std::string_view name = "perceptron, 128 hidden units";
  static constexpr float rate = 0.3f;
  static constexpr pl::index_t hidden = 128;

  static variables start() {
    return {layer(pixels, hidden), pl::zeros<float>(1, hidden), layer(hidden, digit_count),
            pl::zeros<float>(1, digit_count)};
  }
  static matrix logits(variables const& v, matrix const& x) {
    return pl::matmul(pl::relu(pl::matmul(x, v[0]) + v[1]), v[2]) + v[3];
  }

 private:
  /// Weights that preserve the variance of the activations (He et al. 2015).
  static matrix layer(pl::index_t in, pl::index_t out) {
    float const max = std::sqrt(6.f / static_cast<float>(in));
    return pl::uniform<float>(pl::shape(in, out), -max, max);
  }
};

}  // namespace mnist
