/// Softmax regression, trained by gradient descent on points around three centres. Products,
/// softmax, reductions and updates in place all run on the GPU if there is one.

#include <placement/placement.hpp>

#include <iomanip>
#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  int const points = 600, classes = 3;
  pl::matrix<float> const centres{{2, 0}, {-1, 2}, {-1, -2}};
  pl::tensor const y = pl::iota(points, 0) % classes;
  pl::tensor const x = pl::gather(centres, y) + 0.7f * pl::normal<float>(pl::shape(points, 2));

  pl::tensor const target = pl::one_hot<float>(y, classes);
  pl::matrix<float> w = pl::zeros<float>(2, classes);
  pl::vector<float> b = pl::zeros<float>(classes);
  for (int step = 0; step <= 100; ++step) {
    pl::tensor const logits = pl::matmul(x, w) + b;
    if (step % 25 == 0) {
      float const loss = pl::item(-pl::sum(target * pl::log_softmax(logits)) / points);
      double const right = 100 * pl::item(pl::mean(pl::argmax(logits, 1) == y));
      std::cout << "step " << std::setw(3) << step << ": loss " << std::fixed
                << std::setprecision(2) << loss << ", right " << right << " %" << std::endl;
    }
    pl::tensor const error = (pl::softmax(logits) - target) / points;
    w -= pl::matmul(pl::transpose(x), error);
    b -= pl::sum(error, 0);
  }
  std::cout << "trained on " << pl::to_string(w.where()) << std::endl;
}
