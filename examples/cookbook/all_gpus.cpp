/// Give each GPU a part of the rows, and add the results on the CPU.

#include <placement/placement.hpp>

#include <iostream>
#include <vector>

namespace pl = placement;

int main() {
  pl::matrix<float> const x = pl::ones<float>(8, 3);
  auto const gpus = pl::list_logical_devices("GPU");
  if (gpus.empty()) return 0;
  pl::index_t const rows = 8 / static_cast<pl::index_t>(gpus.size());
  std::vector<pl::vector<float>> parts;
  for (pl::logical_device const& gpu : gpus) {
    pl::index_t const first = rows * static_cast<pl::index_t>(parts.size());
    pl::with_device scope(gpu.name());
    parts.push_back(pl::sum(pl::slice(x, pl::range{first, first + rows}), 0));
  }
  pl::with_device scope("/cpu:0");
  pl::tensor total = pl::add_n(parts);
  std::cout << total << " from " << parts.size() << " GPUs" << std::endl;
}
