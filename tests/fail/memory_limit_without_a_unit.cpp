// error: placement: a memory limit has a unit. Write limit{512_MiB}, or limit{bytes{n}}.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::limit{512_MiB}, memory::on_gpu<0>(memory::limit{bytes{1024}}),
                   memory::on_gpu<1>(memory::limit{{1024}})};
#else
  runtime const rt{memory::limit{1024}};
#endif
}
