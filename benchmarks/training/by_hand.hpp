#pragma once

#include "perceptron.hpp"

namespace training {

inline float step_by_hand(perceptron& p) {
  matrix const h = pl::relu(pl::matmul(p.x, p.w1) + p.b1);
  matrix const logits = pl::matmul(h, p.w2) + p.b2;
  scalar const loss = pl::mean(pl::softmax_cross_entropy(logits, p.labels));
  vector const mean_of = pl::ones<float>(samples_of_a_step) / static_cast<float>(samples_of_a_step);
  matrix const g = pl::softmax_cross_entropy_gradient(logits, p.labels, mean_of);
  matrix const dw2 = pl::matmul(pl::transpose(h), g);
  vector const db2 = pl::sum(g, pl::axis<0>);
  matrix const dh = pl::where(h > 0.f, pl::matmul(g, pl::transpose(p.w2)), 0.f);
  matrix const dw1 = pl::matmul(pl::transpose(p.x), dh);
  vector const db1 = pl::sum(dh, pl::axis<0>);
  p.update(dw1, db1, dw2, db2);
  return pl::item(loss);
}

}  // namespace training
