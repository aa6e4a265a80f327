#pragma once
/// A perceptron of 784, 128 and 10 features, whose step is written by tape and by hand.

#include <placement/nets.hpp>
#include <placement/ops/arange.hpp>
#include <placement/placement.hpp>

namespace training {

namespace pl = placement;
using pl::index_t;
using scalar = pl::tensor<float, pl::extents<>>;
using matrix = pl::tensor<float, pl::dextents<2>>;
using vector = pl::tensor<float, pl::dextents<1>>;
using classes = pl::tensor<int, pl::dextents<1>>;

inline constexpr index_t samples_of_a_step = 100;

inline classes some_classes(index_t n) { return pl::arange<int>(static_cast<int>(n)) % 10; }

struct perceptron {
  matrix x = pl::uniform<float>(pl::shape(samples_of_a_step, 784));
  classes labels = some_classes(samples_of_a_step);
  matrix w1 = pl::normal<float>(pl::shape(784, 128)) * 0.05f;
  matrix w2 = pl::normal<float>(pl::shape(128, 10)) * 0.1f;
  vector b1 = pl::zeros<float>(128), b2 = pl::zeros<float>(10);

  void update(auto const& dw1, auto const& db1, auto const& dw2, auto const& db2) {
    w1 -= 0.01f * dw1;
    b1 -= 0.01f * db1;
    w2 -= 0.01f * dw2;
    b2 -= 0.01f * db2;
  }
};

}  // namespace training
