// error: placement: borrowed memory can be written to, but these elements are const. Copy them with from(data, shape), or pass a pointer to elements that are not const.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  float memory[] = {1.f, 2.f};
#else
  float const memory[] = {1.f, 2.f};
#endif
  tensor<float, dextents<1>> const x = borrow(memory, shape(2));
}
