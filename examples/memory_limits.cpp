/// A limit on the memory of a GPU. A program that exceeds it gets an error that it can catch, and
/// continues.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using namespace pl::literals;

int main() {
  pl::runtime rt{pl::memory::growth{} | pl::memory::limit{4_MiB}};
  if (!pl::is_available()) {
    std::cout << "There is no GPU whose memory could be limited." << std::endl;
    return 0;
  }
  pl::with_device scope("/gpu:0");
  auto report = [] {
    pl::memory_stats const m = pl::memory_stats_of(pl::gpu0);
    std::cout << "in use " << m.in_use << " B, reserved " << m.reserved << " B of " << m.limit
              << " B" << std::endl;
  };

  pl::tensor a = pl::zeros<float>(512, 512);
  report();
  try {
    pl::tensor b = pl::zeros<float>(1024, 1024);
  } catch (pl::out_of_memory const& e) { std::cout << e.what() << std::endl; }
  report();

  pl::tensor c = a + 1.f;
  std::cout << "the next op works: " << pl::tensor(pl::sum(c)) << std::endl;
  report();
}
