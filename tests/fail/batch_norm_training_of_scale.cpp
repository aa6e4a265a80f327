// error: placement: batch_norm's scale or offset has another size than x has channels. Give one number per channel.
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor<float, extents<3>> const scale{1, 2, 3};
#else
  tensor<float, extents<2>> const scale{1, 2};
#endif
  tensor const y = batch_norm_training(x, batch_moments(x), scale, 0.f);
}
