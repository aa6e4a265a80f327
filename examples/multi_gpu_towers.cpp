/// The same product on several GPUs, summed on the CPU: one program can use all GPUs.

#include <placement/placement.hpp>

#include <iostream>
#include <vector>

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;

/// In a scope, the constants and the product run on its device.
matrix tower() {
  matrix a{{1, 2, 3}, {4, 5, 6}};
  matrix b{{1, 2}, {3, 4}, {5, 6}};
  return pl::matmul(a, b);
}

/// One tower on each of these devices.
matrix sum_of_towers(std::vector<std::string> const& devices) {
  std::vector<matrix> towers;
  for (std::string const& name : devices) {
    pl::with_device scope(name);
    towers.push_back(tower());
  }
  pl::with_device scope("/cpu:0");
  return pl::add_n(towers);
}

int main() {
  pl::set_log_device_placement(true);
  pl::set_log_format(pl::log_format::tf2);

  std::cout << "Two towers, on GPUs that the program names:" << std::endl;
  std::cout << sum_of_towers({"/gpu:2", "/gpu:3"}) << std::endl;

  std::cout << "\nA tower on each GPU that there is:" << std::endl;
  std::vector<std::string> gpus;
  for (pl::logical_device const& gpu : pl::list_logical_devices("GPU")) gpus.push_back(gpu.name());
  if (!gpus.empty()) std::cout << sum_of_towers(gpus) << std::endl;
}
