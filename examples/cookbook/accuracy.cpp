/// The share of rows whose largest score is at the label.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::matrix<float> const scores{{0.1f, 0.9f}, {0.8f, 0.2f}, {0.3f, 0.7f}, {0.6f, 0.4f}};
  pl::tensor const labels{1, 0, 0, 0};
  pl::tensor const right = pl::argmax(scores, 1) == labels;
  std::cout << right << " " << pl::item(pl::mean(pl::cast<float>(right))) << std::endl;
}
