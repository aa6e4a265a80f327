#pragma once

#include <placement/gradient.hpp>

#include "perceptron.hpp"

namespace training {

inline float step_by_tape(perceptron& p) {
  pl::gradient_tape tape(p.w1, p.b1, p.w2, p.b2);
  matrix const h = pl::relu(pl::matmul(p.x, p.w1) + p.b1);
  matrix const logits = pl::matmul(h, p.w2) + p.b2;
  scalar const loss = pl::mean(pl::softmax_cross_entropy(logits, p.labels));
  auto const [dw1, db1, dw2, db2] = tape.gradient(loss, p.w1, p.b1, p.w2, p.b2);
  p.update(dw1, db1, dw2, db2);
  return pl::item(loss);
}

}  // namespace training
