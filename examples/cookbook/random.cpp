/// Random numbers that are equal on every device and in every run.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(7);
  pl::tensor a = pl::on("/gpu:0", pl::uniform<float>(pl::shape(1000)));
  pl::set_seed(7);
  pl::tensor b = pl::on("/cpu:0", pl::uniform<float>(pl::shape(1000)));
  pl::tensor different = pl::sum(pl::cast<int>(a != b));
  std::cout << pl::item(different) << " of 1000 differ" << std::endl;
}
