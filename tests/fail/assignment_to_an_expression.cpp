// error: placement: only views of a tensor are assigned to. Write tensor t = e, or slice(view(t), ...) = e.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor a{1.f, 2.f};
  slice(view(a), range{0, 1}) = relu(slice(a, range{1, 2}));
#else
  tensor a{1.f, 2.f};
  auto const b = relu(a);
  relu(a) = b;
#endif
}
