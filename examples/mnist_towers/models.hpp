#pragma once
/// Two models of digits, with their gradients written as expressions. They contain no device
/// placement.

#include "digits.hpp"

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

/// The mean loss of these logits, and its gradient.
struct cross_entropy {
  scalar mean;
  matrix gradient;  ///< with respect to the logits
};
inline cross_entropy cross_entropy_of(matrix const& logits, classes const& labels) {
  matrix const target = pl::one_hot<float>(labels, digit_count);
  return {-pl::mean(pl::sum(target * pl::log_softmax(logits), pl::axis<1>)),
          (pl::softmax(logits) - target) / static_cast<float>(labels.extent(0))};
}

/// Multinomial logistic regression: softmax(x w + b).
struct softmax_regression {
  static constexpr std::string_view name = "softmax regression";
  static constexpr float rate = 0.1f;

  static variables start() {
    return {pl::zeros<float>(pixels, digit_count), pl::zeros<float>(1, digit_count)};
  }
  static matrix logits(variables const& v, matrix const& x) { return pl::matmul(x, v[0]) + v[1]; }

  static findings learn(variables const& v, matrix const& x, classes const& labels) {
    matrix const y = logits(v, x);
    auto const [loss, dy] = cross_entropy_of(y, labels);
    return {loss, {pl::matmul(pl::transpose(x), dy), pl::sum(dy, pl::keep_dim(pl::axis<0>))}};
  }
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

  static findings learn(variables const& v, matrix const& x, classes const& labels) {
    matrix const h = pl::relu(pl::matmul(x, v[0]) + v[1]);
    matrix const y = pl::matmul(h, v[2]) + v[3];
    auto const [loss, dy] = cross_entropy_of(y, labels);
    matrix const dh = pl::where(h > 0.f, pl::matmul(dy, pl::transpose(v[2])), 0.f);
    return {loss,
            {pl::matmul(pl::transpose(x), dh), pl::sum(dh, pl::keep_dim(pl::axis<0>)),
             pl::matmul(pl::transpose(h), dy), pl::sum(dy, pl::keep_dim(pl::axis<0>))}};
  }

 private:
  /// Weights that preserve the variance of the activations (He et al. 2015).
  static matrix layer(pl::index_t in, pl::index_t out) {
    float const max = std::sqrt(6.f / static_cast<float>(in));
    return pl::uniform<float>(pl::shape(in, out), -max, max);
  }
};

}  // namespace mnist
