/// Log each op of a block, in the lines of TensorFlow 2, to a sink of your own.

#include <placement/placement.hpp>

#include <iostream>
#include <string_view>

namespace pl = placement;

int main() {
  pl::set_log_format(pl::log_format::tf2);
  pl::set_log_sink(
      [](std::string_view line, void*) { std::cout << "[log] " << line << std::endl; });
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  pl::set_log_device_placement(true);
  pl::tensor b = pl::relu(pl::matmul(a, a) - 10.f);
  pl::set_log_device_placement(false);
  pl::tensor c = b + 1.f;
  std::cout << c << std::endl;
}
