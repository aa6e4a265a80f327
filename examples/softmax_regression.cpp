/// Softmax regression, trained by gradient descent on points around three centres. Products,
/// softmax, reductions and updates in place all run on the GPU if there is one.

#include <placement/placement.hpp>

#include <iomanip>
#include <iostream>

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;
using vector = pl::tensor<float, pl::dextents<1>>;
using labels = pl::tensor<int, pl::dextents<1>>;

constexpr pl::index_t points = 600, classes = 3;

struct data {
  matrix x;
  labels y;
};
/// 200 points around each of three centres.
data points_around_centres() {
  pl::set_seed(1);
  labels const y = pl::iota<int>(points, 0) % int{classes};
  matrix const centres{{2.f, 0.f}, {-1.f, 2.f}, {-1.f, -2.f}};
  return {pl::gather(centres, y) + pl::normal<float>(pl::shape(points, 2)) * 0.7f, y};
}
float share_that_is_right(matrix const& logits, labels const& y) {
  return pl::item(
      pl::mean(pl::cast<float>(pl::argmax(logits, pl::axis<1>) == pl::cast<std::int64_t>(y))));
}

int main() {
  data const d = points_around_centres();
  matrix const wanted = pl::one_hot<float>(d.y, classes);
  matrix w = pl::zeros<float>(2, classes);
  vector b = pl::zeros<float>(classes);
  for (int step = 0; step <= 100; ++step) {
    matrix const logits = pl::matmul(d.x, w) + b;
    if (step % 25 == 0) {
      float const loss =
          pl::item(-pl::mean(pl::sum(wanted * pl::log_softmax(logits), pl::axis<1>)));
      std::cout << "step " << std::setw(3) << step << ": loss " << std::fixed
                << std::setprecision(2) << loss << ", right "
                << 100 * share_that_is_right(logits, d.y) << " %" << std::endl;
    }
    matrix const error = (pl::softmax(logits) - wanted) / static_cast<float>(points);
    w -= pl::matmul(pl::transpose(d.x), error);
    b -= pl::sum(error, pl::axis<0>);
  }
  std::cout << "trained on " << pl::to_string(w.where()) << std::endl;
}
