/// Operands on the CPU, the product on a GPU if there is one: a scope sets the device of its ops.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using namespace pl::literals;
using matrix = pl::tensor<float, pl::dextents<2>>;

int main() {
  pl::set_log_device_placement(true);
  pl::set_log_format(pl::log_format::tf2);

  matrix a, b;
  {
    pl::with_device scope("/cpu:0");
    a = matrix{{1, 2, 3}, {4, 5, 6}};
    b = matrix{{1, 2}, {3, 4}, {5, 6}};
  }
  matrix c = pl::matmul(a, b);  // on GPU:0 if there is one; a and b are copied to it
  std::cout << c << std::endl;

  matrix d = pl::on("/cpu:0"_dev, pl::matmul(a, b));  // the same for one expression
  std::cout << d << std::endl;

  std::cout << "a is on " << to_string(a.where()) << ", c on " << to_string(c.where()) << ", d on "
            << to_string(d.where()) << std::endl;
}
