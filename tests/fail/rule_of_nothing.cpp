// error: placement: a rule takes an op and returns its device. Write a function of pl::op_facts const&.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope([](op_facts const&) { return cpu0; });
#else
  with_device const scope([](int) { return cpu0; });
#endif
}
