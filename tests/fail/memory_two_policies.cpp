// error: placement: two memory policies for one GPU. Join them with |.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::on_gpu<0>(memory::whole{}), memory::on_gpu<1>(memory::growth{})};
#else
  runtime const rt{memory::on_gpu<1>(memory::whole{}), memory::on_gpu<1>(memory::limit{1_MiB})};
#endif
}
