// Memory policies on a GPU, exact to the byte. Each test is a process of its own.
#include <placement/interop/graph.hpp>
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

using row = tensor<float, dextents<1>>;
constexpr std::size_t mib = std::size_t{1} << 20;

row of_mib(index_t n, device d = gpu0) {
  with_device const scope(d);
  return zeros<float>(n << 18);
}

}  // namespace

TEST_CASE("tensors of 1, 3, 20, 30 MiB under 64 reserve 2, 4, 32, 64, and 10 more fit but not 11") {
  need_gpu();
  runtime const rt{memory::growth{} | memory::limit{64_MiB}};
  std::vector<row> held;
  for (auto [size, reserved] :
       {std::pair<index_t, std::size_t>{1, 2}, {3, 4}, {20, 32}, {30, 64}}) {
    held.push_back(of_mib(size));
    CHECK(held.back().where() == gpu0);
    CHECK(memory_stats_of(gpu0).reserved == reserved * mib);
  }
  CHECK(memory_stats_of(gpu0).in_use == 54 * mib);
  CHECK_THROWS_AS(of_mib(11), out_of_memory);
  held.push_back(of_mib(10));
  CHECK(memory_stats_of(gpu0).in_use == 64 * mib);
}
TEST_CASE("the whole limit is reserved at first use, and trim releases it") {
  need_gpu();
  runtime const rt{memory::whole{} | memory::limit{256_MiB}};
  {
    row const x = of_mib(1);
    CHECK(memory_stats_of(gpu0).reserved == 256 * mib);
  }
  synchronize(gpu0);
  pool_of(gpu0).trim();
  CHECK(memory_stats_of(gpu0).reserved == 0);
  CHECK(memory_stats_of(gpu0).in_use == 0);
  row const again = of_mib(3);
  CHECK(again.read()[5] == 0);
}
TEST_CASE(
    "a GPU split into two has two queues and two pools, and tensors are copied between them") {
  need_gpu();
  runtime const rt{memory::virtual_devices<64_MiB, 32_MiB>{}};
  REQUIRE(list_logical_devices("GPU").size() >= 2);
  CHECK(memory_stats_of(gpu0).limit == 64 * mib);
  CHECK(memory_stats_of(gpu1).limit == 32 * mib);
  row const x = copy_to(gpu0, plain_tensor<float>(shape(100'003)));
  with_device const second(gpu1);
  row const y = x * 2.f;
  CHECK(y.where() == gpu1);
  row const back = copy_to(gpu0, y);
  CHECK(back.where() == gpu0);
  auto const h = x.read(), b = back.read();
  int wrong = 0;
  for (std::size_t i = 0; i != x.size(); ++i) wrong += b[i] != h[i] * 2;
  CHECK(wrong == 0);
  CHECK_THROWS_AS(of_mib(33, gpu1), out_of_memory);
}
TEST_CASE("memory freed while its queue still uses it is not reused too early", "[small]") {
  need_gpu();
  with_device const scope(gpu0);
  row total = zeros<float>(1 << 18);
  for (int i = 0; i != 200; ++i) {  // each temporary reuses the memory of the previous one
    row const x = constant(static_cast<float>(i), shape(1 << 18));
    row const y = x + 1.f;
    total = total + y - x;
  }
  auto const h = total.read();
  CHECK(h[0] == 200);
  CHECK(h[(1 << 18) - 1] == 200);
}
TEST_CASE("blocks of CUDA's stream-ordered allocator work like those of the arena") {
  need_gpu();
  runtime const rt{memory::stream_ordered{} | memory::limit{64_MiB}};
  with_device const scope(gpu0);
  row total = zeros<float>(1 << 18);
  for (int i = 0; i != 50; ++i) total = total + 1.f;
  CHECK(total.read()[(1 << 18) - 1] == 50);
  CHECK_THROWS_AS(of_mib(65), out_of_memory);
}
TEST_CASE("a recording under the stream-ordered allocator replays, with memory of its own") {
  need_gpu();
  runtime const rt{memory::stream_ordered{}};
  row x = on(gpu0, zeros<float>(1 << 18));
  {
    graph step = capture(gpu0, [&] {
      row const y = x + 1.f, z = y * 2.f;
      view(x) = z - y;
    });
    for (int i = 0; i != 3; ++i) step.replay();
    CHECK(x.read()[(1 << 18) - 1] == 4);
  }
  CHECK(memory_stats_of(gpu0).in_use == 4 * (std::size_t{1} << 18));
}

TEST_CASE("values written in a CUDA file are placed on the GPU, without a fallback", "[small]") {
  need_gpu();
  matrix<float> const rows{{1.f, 2.f}, {3.f, 4.f}};
  tensor const list{1, 2, 3};
  CHECK(rows.where() == gpu0);
  CHECK(list.where() == gpu0);
  CHECK(to_string(rows) == "[[1 2]\n [3 4]]");
  CHECK(to_string(list) == "[1 2 3]");
  CHECK(fallback_count() == 0);
}
