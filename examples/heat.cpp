/// Heat on a plate that is divided among the devices. Each part has a halo: the rows next to it of
/// its neighbours, which are copied from device to device in each step.

#include <placement/expr/array2string.hpp>
#include <placement/ops/rows.hpp>
#include <placement/placement.hpp>

#include <iostream>
#include <vector>

namespace pl = placement;

/// A row, computed on the device of u, so that only its elements are copied to another device.
auto row_of(pl::matrix<double> const& u, pl::index_t i) { return pl::on(u.where(), u[i]); }

int main() {
  auto devices = pl::list_logical_devices("GPU");
  if (devices.empty()) devices = pl::list_logical_devices("CPU");

  std::vector<pl::matrix<double>> parts;
  for (auto const& device : devices) {
    pl::with_device scope(device.name());
    parts.push_back(pl::zeros<double>(8 / std::ssize(devices) + 2, 8));
  }
  pl::view(parts.front())[0] = 100;  // the upper edge is hot

  pl::range const up{0, -2}, in{1, -1}, down{2};
  for (int step = 0; step != 100; ++step) {
    for (std::size_t i = 0; i != parts.size(); ++i) {
      pl::with_device scope(parts[i].where());
      if (i != 0) pl::view(parts[i])[0] = row_of(parts[i - 1], -2);
      if (i + 1 != parts.size()) pl::view(parts[i])[-1] = row_of(parts[i + 1], 1);
    }
    for (auto& u : parts) {
      pl::with_device scope(u.where());
      auto const beside = pl::slice(u, up, in) + pl::slice(u, down, in) + pl::slice(u, in, up) +
                          pl::slice(u, in, down);
      pl::slice(pl::view(u), in, in) = beside / 4;
    }
  }
  for (auto const& u : parts)
    for (auto const row : pl::rows(pl::slice(u, in)))
      std::cout << pl::array2string(pl::round(row)) << '\n';
}
