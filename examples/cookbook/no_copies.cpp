/// Forbid copies between devices in an inner loop.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor w = pl::copy_to("/gpu:0", pl::tensor{1.f, 2.f});
  pl::tensor x = pl::copy_to("/gpu:1", pl::tensor{3.f, 4.f});
  pl::with_device scope("/gpu:0", pl::no_copies);
  w = w * 0.5f;  // all operands are there
  try {
    w = w + x;
  } catch (pl::placement_error const& e) { std::cout << e.what() << std::endl; }
  std::cout << w << std::endl;
}
