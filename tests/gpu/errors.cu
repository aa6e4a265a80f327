// Errors of GPUs: faults of kernels, code for other architectures, old drivers, full memory.
#include <placement/placement.hpp>

#include <cuda/fake/fake_cuda.hpp>
#include <support/both_devices.hpp>
#include <support/emulated_gpu.hpp>
#include <support/log_lines.hpp>

#include <placement/device/synchronize.hpp>
#include <placement/interop/graph.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

using namespace placement;
using namespace placement::literals;

namespace {

using row = tensor<float, dextents<1>>;

bool contains(std::string const& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
/// Skips the test where the driver is not the tests' own. To be called before the first GPU is
/// used.
fake_cuda& need_fake_driver() {
  if (!fake_is_loaded() && is_for_emulated_gpu) FAIL("the tests' own driver is not loaded");
  if (!fake_is_loaded()) SKIP("the driver is not that of the tests");
  return fake();
}
void need_two_gpus() {
  need_hardware();
  if (list_physical_devices("GPU").size() < 2) without_gpu("its context is lost with the fault");
}
row on(device d, float value) { return copy_to(d, row(constant(value, shape(1000)))); }
bool is_everywhere(row const& x, float value) {
  auto const h = x.read();
  for (std::size_t i = 0; i != x.size(); ++i)
    if (h[i] != value) return false;
  return x.size() == 1000;
}

}  // namespace

namespace own_ops {
/// Reads memory through a pointer of the program.
struct peek_op {
  static constexpr std::string_view name = "Peek";
  using pattern = fill;
  float const* at;
  dextents<1> result() const { return shape(1000); }
  PLACEMENT_HD float operator()(index_t i) const { return at[i]; }
};
template <class K = kernels_here>
auto peek(float const* at, site where = site::here()) -> expr<peek_op, K> {
  return {{at}, where};
}
}  // namespace own_ops

namespace {
void synchronize_after_fault() {
  with_device const scope(gpu0);
  row const y = own_ops::peek(nullptr) + 1.f;
  synchronize(gpu0);
}
}  // namespace

TEST_CASE("a fault of a kernel is an error with op and GPU, and the other GPU goes on") {
  need_two_gpus();
  row const before = on(gpu0, 1.f), other = on(gpu1, 1.f);
  std::string const why = error_message([&] {
    with_device const scope(gpu0);
    row const y = own_ops::peek(nullptr) + before;
    y.read();
  });
  INFO(why);
  CHECK(contains(why, "device 0 ("));
  CHECK(contains(why, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(contains(why, "after kernels of Fill, Fill, Add."));  // the fused kernel has Add's name
  for (int i = 0; i != 2; ++i) {
    std::string const again = error_message([&] {
      with_device const scope(gpu0);
      row const y = before + before;
      y.read();
    });
    INFO(again);
    CHECK(contains(again, "device 0 ("));
    CHECK(contains(again, "cannot be used"));
    CHECK(contains(again, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
  with_device const scope(gpu1);
  CHECK(is_everywhere(other + other, 2.f));
}

TEST_CASE("while one GPU is lost, another thread computes on another GPU, and the program ends") {
  need_two_gpus();
  static row const outlives_main = on(gpu0, 1.f);  // freed at exit, when its GPU is lost
  bool is_right = false;
  std::thread other([&] {
    with_device const scope(gpu1);
    row y = on(gpu1, 0.f);
    for (int i = 0; i != 100; ++i) y = y + 1.f;
    is_right = is_everywhere(y, 100.f);
  });
  CHECK_THROWS_AS(synchronize_after_fault(), placement_error);
  other.join();
  CHECK(is_right);
  CHECK_THROWS_AS(outlives_main.read(), placement_error);
}

TEST_CASE("memory that runs out during a recording ends it, and the next recording works") {
  need_hardware();
  row const x = on(gpu0, 3.f);
  row y = on(gpu0, 0.f);
  auto const limit = static_cast<index_t>(memory_stats_of(gpu0).limit / sizeof(float));
  std::string const why = error_message([&] {
    graph const all = capture(gpu0, [&] {
      y = x + x;
      row const large = zeros<float>(limit + 1'000'000);
    });
  });
  INFO(why);
  CHECK(contains(why, "/GPU:0"));
  CHECK(contains(why, "Fill"));
  CHECK(is_everywhere(x, 3.f));
  graph all = capture(gpu0, [&] { y = x + x; });
  all.replay();
  CHECK(is_everywhere(y, 6.f));
  if (is_gpu_emulated()) CHECK(fake().misuse.empty());
}

TEST_CASE("a driver without memory ends a recording with op and GPU, and the other GPU goes on") {
  fake_cuda& driver = need_fake_driver();
  row const x = on(gpu0, 3.f), other = on(gpu1, 1.f);
  row y = on(gpu0, 0.f);
  std::string const why = error_message([&] {
    graph const all = capture(gpu0, [&] {
      y = x + x;
      driver.gpus[0].held = driver.gpus[0].total - driver.used[0];
      row const large = zeros<float>(16'000'000);
    });
  });
  driver.gpus[0].held = 0;
  INFO(why);
  CHECK(contains(why, "out of memory on /GPU:0"));
  CHECK(contains(why, "Fill"));
  CHECK(contains(why, "cuMemCreate on device 0 ("));
  CHECK(contains(why, "CUDA_ERROR_OUT_OF_MEMORY"));
  {
    with_device const scope(gpu1);
    CHECK(is_everywhere(other + other, 2.f));
  }
  CHECK(is_everywhere(x, 3.f));
  graph all = capture(gpu0, [&] {
    y = x + x;
    row const large = zeros<float>(1'000'000);
  });
  all.replay();
  CHECK(is_everywhere(y, 6.f));
  CHECK(driver.misuse.empty());
}

TEST_CASE(
    "a fault on one virtual device is the error of the others of its GPU, by the same cause") {
  fake_cuda& driver = need_fake_driver();
  driver.gpus.resize(1);
  runtime const rt{memory::virtual_devices<64_MiB, 64_MiB>{}};
  row const first = on(gpu0, 1.f), second = on(gpu1, 1.f);
  std::string const cause =
      "CUDA_ERROR_ILLEGAL_ADDRESS (700, an illegal memory access was encountered)";
  CHECK(contains(error_message(&synchronize_after_fault), cause));
  for (row const* x : {&second, &first}) {
    std::string const why = error_message([&] { x->read(); });
    INFO(why);
    CHECK(contains(why, "device 0 ("));
    CHECK(contains(why, "cannot be used"));
    CHECK(contains(why, cause));
  }
}

TEST_CASE("GPUs that the program has no code for are left out, and the others are used") {
  fake_cuda& driver = need_fake_driver();
  driver.gpus[0].major = 7, driver.gpus[0].minor = 5;
  CHECK(list_physical_devices("GPU").size() == 1);
  row const x = on(gpu0, 1.f);
  with_device const scope(gpu0);
  CHECK(is_everywhere(x + x, 2.f));
  CHECK(x.where() == gpu0);
}
TEST_CASE("without code for any GPU the CPU computes, and the reason names the architectures") {
  fake_cuda& driver = need_fake_driver();
  for (fake_gpu& g : driver.gpus) g.major = 7, g.minor = 5;
  CHECK_FALSE(is_available());
  INFO(why_no_gpu());
  CHECK(contains(why_no_gpu(), "7.5"));
  CHECK(contains(why_no_gpu(), "CMAKE_CUDA_ARCHITECTURES"));
  CHECK(is_everywhere(row(ones<float>(1000)) * 2.f, 2.f));
}
TEST_CASE("a kernel image for another architecture is an error with op and GPU, once") {
  fake_cuda& driver = need_fake_driver();
  row const x = on(gpu0, 1.f);
  synchronize(gpu0);
  driver.fail("cuLaunchKernel", 1, CUDA_ERROR_NO_BINARY_FOR_GPU);
  with_device const scope(gpu0);
  std::string const why = error_message([&] { row(x + x).read(); });
  INFO(why);
  CHECK(contains(why, "/GPU:0"));
  CHECK(contains(why, "Add"));
  CHECK(contains(why, "CMAKE_CUDA_ARCHITECTURES"));
  CHECK(is_everywhere(x + x, 2.f));
}
TEST_CASE("with a driver that is too old the CPU computes, and the reason has both versions") {
  fake_cuda& driver = need_fake_driver();
  driver.version = 10010;
  CHECK_FALSE(is_available());
  INFO(why_no_gpu());
  CHECK(contains(why_no_gpu(), "10.1"));
  CHECK(is_everywhere(row(ones<float>(1000)) * 2.f, 2.f));
}
