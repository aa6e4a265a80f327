/// A missing device: an error under hard placement, another device under soft placement.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;

int main() {
  matrix a{{1, 2, 3}, {4, 5, 6}};
  matrix b{{1, 2}, {3, 4}, {5, 6}};

  pl::set_soft_device_placement(false);
  for (pl::log_format format : {pl::log_format::tf1, pl::log_format::tf2}) {
    pl::set_log_format(format);
    try {
      pl::with_device scope("/gpu:2");
      matrix c = pl::named("c", pl::matmul(a, b));
      std::cout << c << " on " << to_string(c.where()) << std::endl;
    } catch (pl::placement_error const& e) { std::cout << e.what() << std::endl; }
  }

  pl::set_soft_device_placement(true);
  pl::with_device scope("/gpu:2");
  matrix c = pl::matmul(a, b);
  std::cout << c << " on " << to_string(c.where()) << ", asked for " << to_string(c.requested())
            << std::endl;
  for (pl::fallback const& f : pl::fallbacks())
    std::cout << f.times << " x " << f.op << " ran on " << to_string(f.ran) << " instead of "
              << f.requested << ": " << to_string(f.why) << std::endl;
}
