/// Go on with smaller batches after a GPU is full.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

using namespace pl::literals;

int main() {
  pl::runtime rt{pl::memory::growth{} | pl::memory::limit{4_MiB}};
  pl::with_device scope("/gpu:0");
  for (pl::index_t batch = 2048;; batch /= 2) {
    try {
      pl::tensor x = pl::uniform<float>(pl::shape(batch, 1024));
      std::cout << "a batch of " << batch << " fits" << std::endl;
      break;
    } catch (pl::out_of_memory const&) {
      std::cout << "a batch of " << batch << " is too large" << std::endl;
    }
  }
}
