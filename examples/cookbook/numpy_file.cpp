/// Save an array for NumPy, and load one.

#include <placement/interop/npy.hpp>
#include <placement/placement.hpp>

#include <filesystem>
#include <iostream>
#include <string>

#include <unistd.h>

namespace pl = placement;

int main() {
  auto const path = std::filesystem::temp_directory_path() /
                    ("cookbook_numpy_file." + std::to_string(::getpid()) + ".npy");
  pl::save_npy(path, pl::tensor{{1.f, 2.f}, {3.f, 4.f}});
  std::cout << to_string(pl::read_npy_info(path)) << std::endl;
  pl::tensor const x = pl::load_npy<float, 2>(path);
  std::cout << x * 2.f << std::endl;
  std::filesystem::remove(path);
}
