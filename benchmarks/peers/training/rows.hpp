#pragma once
/// One training step of the models of examples/mnist_towers on one thread, at two batch sizes: that
/// of the example and a larger one.

#include <row.hpp>

namespace bench {

struct training_rows {
  training_rows(std::string const& side, void (*train_softmax)(benchmark::State&),
                void (*train_perceptron)(benchmark::State&))
      : softmax("training_softmax/" + side, train_softmax, 40, 640, 16),
        perceptron("training_perceptron/" + side, train_perceptron, 40, 640, 16) {}

  row softmax, perceptron;
};

}  // namespace bench
