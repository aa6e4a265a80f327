// Queues, graphs, the caller's streams and errors on a GPU.
#include <placement/placement.hpp>

#include <cuda/fake/fake_cuda.hpp>
#include <support/both_devices.hpp>
#include <support/emulated_gpu.hpp>
#include <support/log_lines.hpp>

#include <placement/interop/graph.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

using row = tensor<float, dextents<1>>;

int wrong_in(row const& x, float expected) {
  auto const h = x.read();
  int wrong = 0;
  for (std::size_t i = 0; i != x.size(); ++i) wrong += h[i] != expected;
  return wrong;
}
template <class K = kernels_here> row added(row x, float step, int times) {
  for (int i = 0; i != times; ++i) x = x + step;
  return x;
}

}  // namespace

TEST_CASE("a read gets the value at the time of the call, while later work continues", "[small]") {
  need_gpu();
  with_device const scope(gpu0);
  row x = zeros<float>(1 << 20);
  x = added(std::move(x), 1.f, 50);
  row const then = x;
  x = added(std::move(x), 1.f, 50);
  CHECK(wrong_in(then, 50) == 0);
  CHECK(wrong_in(x, 100) == 0);
}
TEST_CASE("devices that use one tensor in turn wait for each other") {
  need_gpu();
  runtime const rt{memory::virtual_devices<256_MiB, 256_MiB>{}};
  row x = on(gpu0, zeros<float>(1 << 20));
  for (int i = 0; i != 20; ++i) {
    with_device const scope(i % 2 == 0 ? gpu1 : gpu0);
    x = added(copy_to(i % 2 == 0 ? gpu1 : gpu0, x), 1.f, 3);
  }
  CHECK(wrong_in(x, 60) == 0);
}
TEST_CASE(
    "random kernels, copies, reads and writes through views on several GPUs are ordered, and have "
    "the right values") {
  need_gpu();
  if (is_gpu_emulated()) fake().checks_order = true;
  runtime const rt{memory::virtual_devices<64_MiB, 64_MiB>{}};
  int const gpus = static_cast<int>(list_logical_devices("GPU").size());
  std::mt19937 draw(11);
  constexpr std::size_t rows = 5, length = 3000, half = length / 2;
  std::vector<row> all(rows, row(ones<float>(length)));
  std::vector<std::vector<float>> expected(rows, std::vector<float>(length, 1.f));
  for (int step = 0; step != 600; ++step) {
    std::size_t const i = draw() % rows, j = draw() % rows;
    device const where{kind::gpu, static_cast<int>(draw() % static_cast<unsigned>(gpus))};
    switch (draw() % 5) {
      case 0:
        all[i] = copy_to(where, all[j]);
        expected[i] = expected[j];
        break;
      case 1: {
        std::size_t const k = draw() % length;
        CHECK(all[i].read()[k] == expected[i][k]);
        break;
      }
      case 2:
        slice(view(all[i]), range(0, half)) = slice(all[j], range(half, length)) * .5f;
        for (std::size_t k = 0; k != half; ++k) expected[i][k] = expected[j][half + k] * .5f;
        break;
      default:
        with_device const scope(where);
        all[i] = all[i] * .5f + all[j];
        for (std::size_t k = 0; k != length; ++k)
          expected[i][k] = expected[i][k] * .5f + expected[j][k];
    }
  }
  for (std::size_t i = 0; i != rows; ++i) {
    auto const h = all[i].read();
    for (std::size_t k = 0; k != length; ++k) REQUIRE(h[k] == expected[i][k]);
  }
  if (is_gpu_emulated()) CHECK(fake().misuse == std::vector<std::string>{});
}
TEST_CASE("several threads queue work on one GPU at the same time, each in its own order") {
  need_gpu();
  std::vector<int> wrong(4, -1);
  std::vector<std::thread> all;
  for (std::size_t t = 0; t != wrong.size(); ++t)
    all.emplace_back([t, &wrong] {
      with_device const scope(gpu0);
      row const x = added(row(zeros<float>(100'003)), static_cast<float>(t + 1), 100);
      wrong[t] = wrong_in(x, 100 * static_cast<float>(t + 1));
    });
  for (std::thread& t : all) t.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
TEST_CASE("replay repeats recorded work on the current contents of its tensors") {
  need_gpu();
  row x = on(gpu0, zeros<float>(5003));
  row y = on(gpu0, zeros<float>(5003));
  graph step = capture(gpu0, [&] {
    y = x * 2.f;
    y = y + 1.f;
    view(x) = y;
  });
  CHECK(wrong_in(x, 1) == 0);
  for (int i = 0; i != 3; ++i) step.replay();
  CHECK(wrong_in(x, 15) == 0);
}
TEST_CASE("memory of any size and alignment is copied to a GPU and back unchanged") {
  need_gpu();
  for (index_t n : {1, 3, 1023, 524'288, 524'289, 3'000'001}) {
    auto const x = plain_tensor<float>(shape(n));
    row const there = copy_to(gpu0, x);
    CHECK(there.where() == gpu0);
    CHECK(farther_than(0, copy_to(cpu0, there), x) == "");
  }
}
TEST_CASE("allocating a tensor that is too large fails, and the GPU stays usable") {
  need_gpu();
  with_device const scope(gpu0);
  index_t const max = static_cast<index_t>(memory_stats_of(gpu0).limit / sizeof(float));
  std::string const why = error_message([&] { row const x = zeros<float>(max + 1'000'000); });
  CHECK(why.find("/GPU:0") != std::string::npos);
  row const x = constant(3.f, shape(1000));
  CHECK(wrong_in(x, 3) == 0);
}
TEST_CASE("an index that gather does not have is an error at the next read, and names the op") {
  need_gpu();
  with_device const scope(gpu0);
  row const x = iota<float>(10, 0.f);
  std::vector<std::int64_t> const at{1, 99};
  auto const bad = tensor_of(at, shape(2));
  std::string const why = error_message([&] { row(gather(x, bad)).read(); });
  CHECK(why.find("99") != std::string::npos);
}
