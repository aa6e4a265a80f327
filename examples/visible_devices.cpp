/// A program that uses some of the GPUs: those from index 1 on. It sees them as GPU:0, GPU:1, ...

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;

int main() {
  auto gpus = pl::list_physical_devices("GPU");
  if (!gpus.empty()) gpus.erase(gpus.begin());
  pl::set_visible_devices(gpus, "GPU");

  auto const all = pl::list_physical_devices("GPU");
  auto const seen = pl::list_logical_devices("GPU");
  std::cout << all.size() << " Physical GPUs, " << seen.size() << " Logical GPU" << std::endl;
  std::cout << pl::device_mapping() << std::endl;

  matrix a{{1, 2, 3}, {4, 5, 6}};
  matrix b{{1, 2}, {3, 4}, {5, 6}};
  matrix c = pl::matmul(a, b);
  std::cout << c << " on " << to_string(c.where()) << std::endl;

  try {
    pl::set_visible_devices(all, "GPU");  // too late: the devices are in use
    std::cout << "every GPU was visible already" << std::endl;
  } catch (pl::invalid_argument const& e) { std::cout << e.what() << std::endl; }
}
