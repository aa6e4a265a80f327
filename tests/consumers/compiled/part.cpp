#include "part.hpp"

namespace pl = placement;

std::size_t copies_after_a_sum(pl::tensor<float, pl::dextents<2>> const& x) {
  pl::with_device scope("/gpu:0");
  pl::tensor y = x + x;
  return y.where() == pl::gpu0 ? pl::all_copies().copies : 0;
}
