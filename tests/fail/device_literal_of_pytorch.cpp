// error: placement: "cuda:1" is PyTorch's name of a GPU. Write "/gpu:1"_dev.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  tensor const a = on("/gpu:1"_dev, tensor{1.f, 2.f});
#else
  tensor const a = on("cuda:1"_dev, tensor{1.f, 2.f});
#endif
}
