// error: placement: only views of a tensor are assigned to. Write tensor t = e, or slice(view(t), ...) = e.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor a{1.f, 2.f};
  slice(view(a), range{0, 1}) = tensor{3.f};
#else
  tensor a{1.f, 2.f};
  broadcast_to(view(a), shape(2, 2)) = tensor{3.f};
#endif
}
