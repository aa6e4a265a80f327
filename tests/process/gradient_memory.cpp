// gpus: 1
// env: PLACEMENT_SIMULATED_GPU_MEMORY=64MiB
// A static gradient whose kernels do not fit a device's memory throws. Its copies of operands are
// freed, and the tensor it is assigned to keeps its elements.
#include <placement/gradient.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <vector>

using namespace placement;

namespace {
constexpr index_t side = 512;
constexpr std::size_t mib = std::size_t{1} << 20;  // the bytes of a matrix
}  // namespace

TEST_CASE("A static gradient on a device that is nearly full throws, or has its value") {
  auto const on_host = [](float from) {
    with_device const host("/cpu:0");
    return tensor(cos(iota(shape(side, side), from, 0.37f)));
  };
  tensor const x = on_host(0.1f), w = on_host(0.2f);
  auto const derivative = [&] { return gradient<0>(sum(square(tanh(matmul(x, leaf<0>(w)))))); };
  std::vector<float> const expected = to_vector(evaluate(derivative()));
  std::size_t failures = 0, values = 0;
  std::size_t const limit = memory_stats_of(gpu0).limit;
  for (std::size_t free = mib; free < 12 * mib; free += mib) {
    with_device const scope("/gpu:0");
    tensor const held = zeros<float>(static_cast<index_t>((limit - free) / sizeof(float)));
    tensor target = zeros<float>(side, side);
    std::size_t const before = memory_stats_of(gpu0).in_use;
    try {
      target = derivative();
      CHECK(to_vector(target) == expected);
      ++values;
    } catch (out_of_memory const& e) {
      CHECK(std::string(e.what()).find("/GPU:0") != std::string::npos);
      CHECK(to_vector(target) == std::vector<float>(expected.size()));
      ++failures;
    }
    CHECK(memory_stats_of(gpu0).in_use == before);
  }
  CHECK(failures > 1);
  CHECK(values > 1);
}
