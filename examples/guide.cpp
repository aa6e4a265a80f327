/// The guide's first two programs: a product on the default device, and one tower per GPU. The
/// lines between are the placement log in the format of TensorFlow 2.

#include <placement/placement.hpp>

#include <iostream>
#include <vector>

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;

int main() {
  std::cout << "Num GPUs Available: " << pl::list_physical_devices("GPU").size() << std::endl;
  pl::set_log_device_placement(true);
  pl::set_log_format(pl::log_format::tf2);

  std::cout << "\nA matrix product, nobody says where:" << std::endl;
  matrix a{{1, 2, 3}, {4, 5, 6}};
  matrix b{{1, 2}, {3, 4}, {5, 6}};
  matrix c = pl::matmul(a, b);
  std::cout << c << std::endl;

  std::cout << "\nThe same on every GPU, summed on the CPU:" << std::endl;
  std::vector<matrix> towers;
  for (pl::logical_device const& gpu : pl::list_logical_devices("GPU")) {
    pl::with_device scope(gpu.name());
    towers.push_back(pl::matmul(a, b));
  }
  if (towers.empty()) {
    std::cout << "(no GPU here; PLACEMENT_SIMULATED_GPUS=2 makes two)" << std::endl;
    return 0;
  }
  pl::with_device scope("/cpu:0");
  matrix sum = pl::add_n(towers);
  std::cout << sum << std::endl;
}
