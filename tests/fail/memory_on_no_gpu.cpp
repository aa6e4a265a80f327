// error: placement: on_gpu counts visible GPUs from 0. Use on_gpu<0> for the first.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  runtime const rt{memory::on_gpu<0>(memory::whole{})};
#else
  runtime const rt{memory::on_gpu<-1>(memory::whole{})};
#endif
}
