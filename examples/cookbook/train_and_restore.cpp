/// Train on two GPUs, save, and restore on one: the model gives the same values.

#include <placement/parallel.hpp>

#include <placement/nn/checkpoint.hpp>

#include <filesystem>
#include <iostream>
#include <string>

#include <unistd.h>

namespace pl = placement;
namespace nn = pl::nn;
namespace parallel = pl::parallel;

int main() {
  auto const path = std::filesystem::temp_directory_path() /
                    ("cookbook_train." + std::to_string(::getpid()) + ".npz");
  pl::matrix<float> const x = pl::uniform<float>(pl::shape(16, 2));
  auto const net = nn::sequential(pl::extents<2>{}, nn::dense<1>{});
  auto const loss = [&](parallel::tower const& t, auto& of) {
    return pl::mean(pl::square(of(t.slice(x), nn::training) - 1.f));
  };
  nn::sgd sgd(0.1), restored(0.1);
  parallel::replicated two(parallel::towers(2), net, parallel::mirrored{});
  for (int step = 0; step != 5; ++step) auto const losses = two.minimize(sgd, loss);
  nn::checkpoint(two, sgd).save(path.string());

  parallel::replicated one(parallel::towers(1), net, parallel::mirrored{});
  nn::checkpoint(one, restored).restore(path.string());
  pl::matrix<float> const a = two.model()(x), b = one.model()(x);
  std::cout << "equal: " << std::boolalpha << (pl::to_vector(a) == pl::to_vector(b)) << std::endl;
  std::filesystem::remove(path);
}
