/// A std::mdspan as a tensor, and a tensor as a std::mdspan, both without a copy.

#include <placement/interop/mdspan.hpp>
#include <placement/placement.hpp>

#include <iostream>
#include <vector>

namespace pl = placement;

int main() {
#if defined(__cpp_lib_mdspan)
  pl::with_device cpu("/cpu:0");  // std::mdspan reads host memory
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  std::mdspan grid(numbers.data(), 2, 3);

  pl::tensor x = pl::from_mdspan(grid);
  x *= 10.f;  // writes to `numbers`
  std::cout << numbers[5] << std::endl;

  pl::tensor sums = pl::sum(x, 0);
  auto const view = pl::to_mdspan(sums);
  std::cout << view[0] << " of " << view.extent(0) << std::endl;
#else
  std::cout << "This standard library has no <mdspan>." << std::endl;
#endif
}
