// gpus: 0
// env: CUDA_VISIBLE_DEVICES=1,0
// Tensors on CUDA GPUs that are exchanged with other libraries.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/interop/dlpack.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <utility>

using namespace placement;

namespace {

using row = tensor<float, dextents<1>>;

row on_gpu(device d) { return copy_to(d, row(iota<float>(1000, 0.f))); }

}  // namespace

TEST_CASE("a tensor on a GPU is exported with CUDA's device index, after all work on it") {
  use_fake_gpus();
  row const x = on_gpu(gpu1);
  auto* const out = to_dlpack(x);
  CHECK(out->tensor.where.type == dlpack::cuda);
  CHECK(out->tensor.where.index == 1);
  CHECK(static_cast<float const*>(out->tensor.data)[999] ==
        999);  // the memory of the fake driver is host memory
  out->deleter(out);
}

TEST_CASE(
    "CUDA's device index counts GPUs without code in the program too, but no virtual devices") {
  fake_cuda& driver = use_fake_gpus();
  driver.gpus[1].major = 5;  // the first visible GPU
  set_logical_device_limits({gpu0}, {std::size_t{64} << 20, std::size_t{64} << 20});
  row const x = on_gpu(gpu1);
  auto* const out = to_dlpack(x);
  CHECK(out->tensor.where.index == 1);
  row const back = from_dlpack<float, dextents<1>>(out);
  CHECK(back.where() == gpu0);  // the first virtual device of the GPU
}

TEST_CASE("an imported GPU buffer is used in place, and its deleter runs after the work on it") {
  fake_cuda& driver = use_fake_gpus();
  row const theirs = on_gpu(gpu1);
  static std::string deleted;
  std::int64_t shape[] = {1000};
  dlpack::managed_tensor managed{{const_cast<float*>(theirs.data()),
                                  {dlpack::cuda, 1},
                                  1,
                                  {dlpack::real, 32, 1},
                                  shape,
                                  nullptr,
                                  0},
                                 nullptr,
                                 [](dlpack::managed_tensor*) {
                                   deleted = "after " +
                                             std::to_string(fake().calls["cuStreamSynchronize"]);
                                 }};
  {
    row const x = from_dlpack<float, dextents<1>>(&managed);
    CHECK(x.where() == gpu1);
    CHECK(x.read()[500] == 500);
    CHECK(copy_to(gpu0, x).read()[7] == 7);
    driver.calls["cuStreamSynchronize"] = 0;
  }
  CHECK(deleted == "after 1");
}

TEST_CASE("an imported buffer on a GPU that failed is deleted too") {
  fake_cuda& driver = use_fake_gpus();
  row const theirs = on_gpu(gpu0);
  static bool deleted = false;
  std::int64_t shape[] = {1000};
  dlpack::managed_tensor managed{{const_cast<float*>(theirs.data()),
                                  {dlpack::cuda, 0},
                                  1,
                                  {dlpack::real, 32, 1},
                                  shape,
                                  nullptr,
                                  0},
                                 nullptr,
                                 [](dlpack::managed_tensor*) { deleted = true; }};
  {
    row const x = from_dlpack<float, dextents<1>>(&managed);
    driver.fail("cuStreamSynchronize", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  CHECK(deleted);
}

TEST_CASE("a device pointer is borrowed without a copy") {
  use_fake_gpus();
  row theirs = on_gpu(gpu1);
  row const x = borrow(theirs.data(), shape(1000), gpu1);
  CHECK(x.where() == gpu1);
  CHECK(x.read()[42] == 42);
  CHECK(copy_to(gpu0, x).read()[42] == 42);
}
