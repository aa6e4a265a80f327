// error: placement: a rule takes an op and returns its device. Write [](pl::op_facts const& op) { return pl::spec("/cpu:0"); }.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope([](op_facts const&) { return cpu0; });
#else
  with_device const scope([](int) { return cpu0; });
#endif
}
