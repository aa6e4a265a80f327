/// Limit the memory of each GPU, and see how much is in use.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

using namespace pl::literals;

int main() {
  pl::runtime rt{pl::memory::growth{} | pl::memory::limit{64_MiB}};
  if (!pl::is_available()) return 0;
  pl::with_device scope("/gpu:0");
  pl::tensor a = pl::zeros<float>(1024, 1024);
  pl::memory_stats const m = pl::memory_stats_of(pl::gpu0);
  std::cout << (m.in_use >> 20) << " MiB in use, " << (m.reserved >> 20) << " reserved, limit "
            << (m.limit >> 20) << std::endl;
}
