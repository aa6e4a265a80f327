/// A blur: each pixel becomes the mean of the 3 x 3 pixels around it. The sum of nine slices is one
/// kernel.

#include <placement/expr/array2string.hpp>
#include <placement/ops/pad.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

/// The mean of 3 x 3 pixels; those at the edge count as their own neighbours.
pl::matrix<float> blur(pl::matrix<float> const& image) {
  pl::tensor const p = pl::pad(image, 1, pl::pad_mode::edge);
  pl::range const top{0, -2}, middle{1, -1}, bottom{2};
  auto const columns = pl::slice(p, pl::everything, top) + pl::slice(p, pl::everything, middle) +
                       pl::slice(p, pl::everything, bottom);
  return (pl::slice(columns, top) + pl::slice(columns, middle) + pl::slice(columns, bottom)) / 9;
}

int main() {
  pl::matrix<float> image = pl::zeros<float>(6, 8);
  pl::slice(pl::view(image), pl::range{2, 4}, pl::range{2, 6}) = 9;
  std::cout << pl::array2string(blur(image)) << std::endl;
}
