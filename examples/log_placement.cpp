/// Where does each op run? The placement log in each of its formats.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;

void multiply() {
  matrix a{{1, 2, 3}, {4, 5, 6}};
  matrix b{{1, 2}, {3, 4}, {5, 6}};
  matrix c = pl::matmul(a, b);
  matrix d = pl::named("doubled", c * 2.f);  // a name, for formats that print names
  std::cout << d << std::endl;
}

int main() {
  multiply();  // the log is off until it is switched on

  pl::set_log_device_placement(true);
  for (auto [name, format] : {std::pair{"\nTensorFlow 2:", pl::log_format::tf2},
                              std::pair{"\nTensorFlow 1:", pl::log_format::tf1},
                              std::pair{"\nTensorFlow 1, graph:", pl::log_format::tf1_graph},
                              std::pair{"\nNative:", pl::log_format::native}}) {
    std::cout << name << std::endl;
    pl::set_log_format(format);
    multiply();
  }

  pl::set_log_device_placement(false);
  multiply();
}
