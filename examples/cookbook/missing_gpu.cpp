/// Ask for a GPU that is not there: the op runs elsewhere, and the program can count that.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::set_log_level(pl::log_level::off);
  pl::tensor a{1.f, 2.f};
  for (int i = 0; i != 3; ++i) {
    pl::with_device scope("/gpu:7");
    pl::tensor b = pl::exp(a);
  }
  for (pl::fallback const& f : pl::fallbacks())
    std::cout << f.times << " x " << f.op << " on " << pl::to_string(f.ran) << ": "
              << to_string(f.why) << std::endl;
}
