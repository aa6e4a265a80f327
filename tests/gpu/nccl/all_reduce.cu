// gpus: 0
// all_reduce by NCCL between hardware GPUs, beside the sum in order.
#include <placement/placement.hpp>

#include <placement/cuda/nccl.cuh>
#include <placement/parallel/all_reduce.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace placement;
using namespace placement::parallel;

TEST_CASE("NCCL is the engine of the process and takes no simulated GPU") {
  all_reduce_engine& engine = cuda::nccl_of_process();
  CHECK(placement::detail::gpu_all_reduces.load() == &engine);
  CHECK_FALSE(engine.all_reduce({}, {product_element::f32, 1, all_reduce_result::sum}));
}

TEST_CASE("all_reduce under fast is near the sum in order, and equal on all GPUs") {
  need_hardware();
  int const gpus = this_machine().gpus;
  if (gpus < 2) SKIP("one GPU: NCCL reduces between two or more");
  std::vector<tensor<float, dextents<1>>> x;
  for (int i = 0; i != gpus; ++i)
    x.push_back(copy_to(device{kind::gpu, i},
                        plain_tensor<float>(shape(100'003), static_cast<std::uint32_t>(i))));
  for (reduction const r : {reduction::sum, reduction::mean}) {
    auto const expected = to_vector(all_reduce(x, r)[0]);
    auto const y = all_reduce(x, r, fast);
    auto const first = to_vector(y[0]);
    for (std::size_t k = 0; k != y.size(); ++k) {
      CHECK(y[k].where() == x[k].where());
      CHECK(to_vector(y[k]) == first);
    }
    float worst = 0;
    for (std::size_t i = 0; i != first.size(); ++i)
      worst = std::fmax(worst, std::fabs(first[i] - expected[i]));
    CHECK(worst < 1e-3f);
  }
}
