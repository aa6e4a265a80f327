// error: placement: sequential gets something that is not a layer. A layer has output(shape), which returns the shape of an output sample.
#include <placement/nn/dense.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/nn/sequential.hpp>
#include <placement/placement.hpp>

using namespace placement;

struct doubled {
  template <operand X> auto operator()(X const& x) const { return x + x; }
#ifdef CONTROL
  template <class X> X output(X const& sample) const { return sample; }
#endif
};

int main() {
  auto const net = nn::sequential(shape(3), doubled{}, nn::dense<10>{});
  return static_cast<int>(nn::parameter_count(net));
}
