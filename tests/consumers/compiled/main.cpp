// A program of two parts that both link placement::compiled. They share one set of devices and one
// count of copies. The program prints its version if that holds.
#include "part.hpp"

#include <cstdio>
#include <string>

namespace pl = placement;

int main() {
  pl::set_simulated_gpus({.count = 1});
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  std::size_t const copies = copies_after_a_sum(a);
  if (copies != 1 || pl::all_copies().copies != copies || !pl::is_initialized()) return 1;
  std::string const devices = pl::available_devices();
  if (devices != "/CPU:0, /GPU:0" || pl::to_string(pl::evaluate(a + a)) != "[[2 4]\n [6 8]]")
    return 2;
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
