// error: placement: whole, growth and stream_ordered exclude each other. Keep one of them, once.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  constexpr auto p = memory::growth{} | memory::limit{1_MiB};
  static_cast<void>(p);
#else
  constexpr auto p = memory::growth{} | memory::growth{};
  static_cast<void>(p);
#endif
}
