/// Causal attention of several heads, as in a transformer: softmax(q k^T / sqrt(depth)) v, where no
/// position sees a later one.

#include <placement/expr/array2string.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/tril.hpp>
#include <placement/placement.hpp>

#include <cmath>
#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  int const length = 5, heads = 2, depth = 4, width = heads * depth;
  pl::tensor const x = pl::normal<double>(pl::shape(length, width));
  auto const projected = [&] {  // [heads, length, depth]
    pl::tensor const w = pl::normal<double>(pl::shape(width, width)) / width;
    pl::tensor const y = pl::matmul(x, w);
    return pl::evaluate(pl::swapaxes(pl::reshape(y, pl::shape(length, heads, depth)), 0, 1));
  };
  pl::tensor const q = projected(), k = projected(), v = projected();

  auto const scores = pl::matmul(q, pl::swapaxes(k, 1, 2)) / std::sqrt(depth);
  auto const seen = pl::tril(pl::ones<bool>(length, length));
  pl::tensor const weights = pl::softmax(pl::where(seen, scores, -INFINITY));
  pl::tensor const y = pl::reshape(pl::swapaxes(pl::matmul(weights, v), 0, 1), x.shape());

  std::cout << "weights of the first head\n"
            << pl::array2string(weights[0], {.precision = 2}) << "\nsums of each row\n"
            << pl::array2string(pl::round(pl::sum(weights, -1))) << "\nresult " << y.shape()
            << std::endl;
}
