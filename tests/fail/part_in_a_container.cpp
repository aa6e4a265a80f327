// only error: placement: a part of a model is a tensor, a container or a pointer, which would be neither trained nor saved. Give an nn::variable for a tensor, and list the elements of a container: std::tie(a[0], a[1]).
#include <placement/nn/parameters.hpp>
#include <placement/placement.hpp>

#include <tuple>
#include <vector>

using namespace placement;

struct block {
  nn::variable<float, dextents<1>> w{"w", ones<float>(3)};
  auto parts() { return std::tie(w); }
  auto parts() const { return std::tie(w); }
};
struct deep {
  std::vector<block> blocks{2};
#ifdef CONTROL
  auto parts() { return std::tie(blocks[0], blocks[1]); }
  auto parts() const { return std::tie(blocks[0], blocks[1]); }
#else
  auto parts() { return std::tie(blocks); }
  auto parts() const { return std::tie(blocks); }
#endif
};

int main() {
  deep const model;
  return static_cast<int>(nn::parameter_count(model));
}
