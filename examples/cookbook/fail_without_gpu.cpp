/// Make a missing GPU an error for a part of the program.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor a{1.f, 2.f};
  try {
    pl::with_device scope("/gpu:7", pl::hard_placement{});
    pl::tensor b = pl::named("b", pl::exp(a));
  } catch (pl::placement_error const& e) { std::cout << e.what() << std::endl; }
  std::cout << a << " is as before" << std::endl;
}
