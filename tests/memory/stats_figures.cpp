// The observable state of a device's memory: figures, call sites, the report, the error, and the
// allocation log.
#include <placement/device/query.hpp>
#include <placement/memory/allocation_log.hpp>
#include <placement/memory/pool.hpp>
#include <placement/memory/report.hpp>

#include <support/address_only_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// A GPU of 60 MiB and its pool.
struct one_gpu {
  address_only_platform gpu{60 * mib};
  logical_device about;
  pool memory{describe()};

  logical_device const& describe() {
    about.id = gpu0;
    about.owner = &gpu;
    about.memory_limit = 60 * mib;
    return about;
  }
};

std::string error_message(pool& p, std::size_t size, call_site const& caller = {}) {
  try {
    p.allocate(size, caller);
  } catch (out_of_memory const& e) { return e.what(); }
  return {};
}

std::vector<std::string> lines_of(std::string const& path) {
  std::vector<std::string> lines(1);
  std::FILE* const file = std::fopen(path.c_str(), "r");
  REQUIRE(file != nullptr);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c == '\n') lines.emplace_back();
    else lines.back() += static_cast<char>(c);
  }
  std::fclose(file);
  lines.pop_back();
  return lines;
}

/// A log line without its time, which varies.
std::string without_time(std::string const& line) {
  std::size_t const first = line.find(','), second = line.find(',', first + 1);
  return line.substr(0, first) + line.substr(second);
}

constexpr call_site weights{"Fill", "train.cpp", 12}, product{"MatMul", "train.cpp", 40},
    sums{"Add", "train.cpp", 41}, losses{"Sum", "train.cpp", 42};

}  // namespace

TEST_CASE("figures follow each allocation to the byte") {
  one_gpu g;
  void* const a = g.memory.allocate(1000);
  void* const b = g.memory.allocate(3 * mib);
  memory_stats const s = g.memory.stats();
  CHECK(s.in_use == 1024 + 3 * mib);
  CHECK(s.peak == s.in_use);
  CHECK(s.reserved == 4 * mib);
  CHECK(s.limit == 60 * mib);
  CHECK(s.largest_free == 57 * mib - 1024);
  CHECK(s.allocations == 2);
  g.memory.deallocate(b, 3 * mib);
  CHECK(g.memory.stats().in_use == 1024);
  CHECK(g.memory.stats().peak == 1024 + 3 * mib);
  g.memory.reset_peak();
  CHECK(g.memory.stats().peak == 1024);
  g.memory.deallocate(a, 1000);
  CHECK(g.memory.stats().allocations == 0);
  CHECK(g.memory.stats().largest_free == 60 * mib);
}

TEST_CASE(
    "figures keep peaks, the largest allocation, and the number of allocations and failures") {
  one_gpu g;
  void* const a = g.memory.allocate(1000);
  void* const b = g.memory.allocate(20 * mib - 1);
  g.memory.deallocate(b, 20 * mib - 1);
  error_message(g.memory, 61 * mib);
  error_message(g.memory, ~std::size_t{0});
  g.memory.allocate(0);
  memory_stats s = g.memory.stats();
  CHECK(s.allocations == 1);
  CHECK(s.total_allocations == 2);
  CHECK(s.largest_allocation == 20 * mib);
  CHECK(s.failures == 2);
  CHECK(s.reserved == 32 * mib);
  CHECK(s.peak_reserved == 32 * mib);
  g.memory.trim();
  CHECK(g.memory.stats().reserved == 2 * mib);
  CHECK(g.memory.stats().peak_reserved == 32 * mib);
  g.memory.reset_peak();
  s = g.memory.stats();
  CHECK(s.peak == 1024);
  CHECK(s.peak_reserved == 2 * mib);
  CHECK(s.total_allocations == 2);
  CHECK(s.largest_allocation == 20 * mib);
  g.memory.deallocate(a, 1000);
}

TEST_CASE("a device reports free and total memory, whoever holds it") {
  pool_of(gpu0).deallocate(pool_of(gpu0).allocate(3 * mib), 3 * mib);
  memory_info const gpu = memory_info_of(gpu0);
  CHECK(gpu.total == 1024 * mib);
  CHECK(gpu.free == 1020 * mib);
  memory_info const host = memory_info_of(cpu0);
  CHECK(host.total >= host.free);
  CHECK(host.total > mib);
  CHECK_THROWS_AS(memory_info_of({kind::gpu, 9}), placement_error);
}

TEST_CASE("a call site has the name that the user gave the op") {
  call_site const named{"MatMul", "train.cpp", 40, "logits"};
  CHECK(to_string(named) == "logits (MatMul) at train.cpp:40");
  CHECK_FALSE(named == product);
  one_gpu g;
  g.memory.allocate(2 * mib, named);
  g.memory.allocate(mib, product);
  REQUIRE(g.memory.usage_by_call_site().size() == 2);
  CHECK(g.memory.usage_by_call_site()[0].caller.name == "logits");
}

TEST_CASE("fragmentation is the share of free bytes outside the longest gap") {
  one_gpu g;
  std::vector<void*> blocks;
  for (int i = 0; i != 4; ++i) blocks.push_back(g.memory.allocate(mib));
  CHECK(g.memory.stats().fragmentation == 0);
  g.memory.deallocate(blocks[0], mib);
  CHECK(g.memory.stats().fragmentation == 0);
  g.memory.deallocate(blocks[2], mib);
  CHECK(g.memory.stats().fragmentation == 0.5);
  g.memory.deallocate(blocks[1], mib);
  CHECK(g.memory.stats().fragmentation == 0);
}

TEST_CASE("memory is summed by op and line, the largest first") {
  one_gpu g;
  g.memory.allocate(mib, weights);
  g.memory.allocate(2 * mib, product);
  g.memory.allocate(2 * mib, product);
  g.memory.allocate(256);
  auto const all = g.memory.usage_by_call_site();
  REQUIRE(all.size() == 3);
  CHECK(all[0].caller == product);
  CHECK(all[0].size == 4 * mib);
  CHECK(all[0].blocks == 2);
  CHECK(all[1].caller == weights);
  CHECK(to_string(all[0].caller) == "MatMul at train.cpp:40");
  CHECK(to_string(all[2].caller) == "not said");
}

TEST_CASE("call sites with equal texts at different addresses are equal") {
  static char const tag[] = "MatMul", file[] = "train.cpp";  // as in another file of the program
  one_gpu g;
  g.memory.allocate(mib, product);
  g.memory.allocate(2 * mib, {tag, file, product.line});
  auto const all = g.memory.usage_by_call_site();
  REQUIRE(all.size() == 1);
  CHECK(all[0].caller == product);
  CHECK(all[0].size == 3 * mib);
  CHECK(all[0].blocks == 2);
}

TEST_CASE(
    "the error on a full device gives the request, the figures, the call sites and the remedies") {
  one_gpu g;
  g.memory.allocate(20 * mib, product);
  g.memory.allocate(20 * mib, product);
  g.memory.allocate(5 * mib, weights);
  g.memory.allocate(4 * mib, sums);
  g.memory.allocate(3 * mib, losses);
  CHECK(
      error_message(g.memory, 10 * mib, {"Relu", "train.cpp", 50}) ==
      "placement: out of memory on /GPU:0 (growth | limit): asked for 10485760 B by Relu at "
      "train.cpp:50; in use 54525952 B of a limit of 62914560 B; the largest free block is 8388608 "
      "B. Most is held by MatMul at train.cpp:40 (41943040 B in 2 blocks), Fill at train.cpp:12 "
      "(5242880 B in 1 block), Add at train.cpp:41 (4194304 B in 1 block). Free tensors, use "
      "smaller batches, or raise the device's memory limit.");
  g.memory.allocate(8 * mib);  // a smaller request succeeds
}

TEST_CASE("the error for a request above the limit does not advise to free memory") {
  one_gpu g;
  CHECK(
      error_message(g.memory, 61 * mib)
          .ends_with(
              "the largest free block is 62914560 B. It is more than the limit. Use smaller batches, or raise "
              "the device's memory limit."));
}

TEST_CASE("the error for fragmented free memory says so") {
  one_gpu g;
  std::vector<void*> blocks;
  for (int i = 0; i != 60; ++i) blocks.push_back(g.memory.allocate(mib));
  for (std::size_t i = 0; i != 60; i += 2) g.memory.deallocate(blocks[i], mib);
  CHECK(
      error_message(g.memory, 2 * mib)
          .ends_with(
              " Enough is free, but in pieces. Free tensors that were made between others, or use smaller "
              "batches."));
}

TEST_CASE("the error on a device with less memory than the limit quotes the device's error") {
  one_gpu g;
  g.gpu.capacity = 10 * mib;
  CHECK(
      error_message(g.memory, 11 * mib)
          .ends_with(
              " The device said: no memory left. Free tensors, call trim() for what other logical devices keep "
              "unused, or use smaller batches."));
}

TEST_CASE("the report draws a bar of the region and lists the call sites") {
  one_gpu g;
  void* const a = g.memory.allocate(10 * mib, weights);
  g.memory.allocate(10 * mib, product);
  g.memory.allocate(512 * 1024, sums);
  g.memory.deallocate(a, 10 * mib);
  CHECK(detail::report_of(g.memory) ==
        "/GPU:0 (growth | limit): in use 10.5 MiB in 2 blocks, peak 20.5 MiB, reserved 32.0 MiB, "
        "limit 60.0 MiB, largest free 39.5 MiB, fragmentation 46 %\n"
        "[..........##########+...........----------------------------]\n"
        "  10.0 MiB in 1 block: MatMul at train.cpp:40\n"
        "  512.0 KiB in 1 block: Add at train.cpp:41\n");
}

TEST_CASE("the report of all devices has one report per used pool, in device order") {
  CHECK(memory_report().empty());
  pool_of(gpu0).allocate(3 * mib, weights);
  pool_of(cpu0).allocate(mib, losses);
  CHECK(
      memory_report(gpu0) ==
      "/GPU:0 (growth): in use 3.0 MiB in 1 block, peak 3.0 MiB, reserved 4.0 MiB, limit 799.0 MiB, "
      "largest free 796.0 MiB, fragmentation 0 %\n"
      "[+-----------------------------------------------------------]\n"
      "  3.0 MiB in 1 block: Fill at train.cpp:12\n");
  CHECK(
      memory_report(cpu0).ends_with("  tensors below 1 MiB are the heap's, and not counted\n"
                                    "  1.0 MiB in 1 block: Sum at train.cpp:42\n"));
  CHECK(memory_report() == memory_report(cpu0) + memory_report(gpu0));
}

TEST_CASE("trim and reset_memory_peak affect only the given device") {
  for (device d : {gpu0, gpu1}) pool_of(d).deallocate(pool_of(d).allocate(3 * mib), 3 * mib);
  CHECK(trim(gpu1) == 4 * mib);
  CHECK(memory_stats_of(gpu0).reserved == 4 * mib);
  CHECK(memory_stats_of(gpu1).reserved == 0);
  CHECK(trim(gpu1) == 0);
  reset_memory_peak(gpu1);
  CHECK(memory_stats_of(gpu0).peak == 3 * mib);
  CHECK(memory_stats_of(gpu1).peak == 0);
}

TEST_CASE("sizes are printed in readable units") {
  CHECK(detail::readable(0) == "0 B");
  CHECK(detail::readable(1023) == "1023 B");
  CHECK(detail::readable(1024) == "1.0 KiB");
  CHECK(detail::readable(1024 * 1024 - 1) == "1023.9 KiB");
  CHECK(detail::readable(3 * mib / 2) == "1.5 MiB");
  CHECK(detail::readable(std::size_t{80} << 30) == "80.0 GiB");
  CHECK(detail::readable(std::size_t{1} << 50) == "1024.0 TiB");
}

TEST_CASE("the allocation log is CSV: thread, time, action, device, tag, bytes, call site") {
  std::string const path = "allocation_log_of_a_test.csv";
  one_gpu g;
  void* const before = g.memory.allocate(256, sums);
  {
    allocation_log const log(path.c_str());
    void* const a = g.memory.allocate(3 * mib, product);
    g.memory.deallocate(before, 256);
    error_message(g.memory, 60 * mib, losses);
    g.memory.deallocate(a, 3 * mib);
    std::thread([&] { g.memory.allocate(1, {"odd, \"name\"", "a,b.cpp", 7}); }).join();
    g.memory.trim();
  }
  g.memory.allocate(256);
  auto const lines = lines_of(path);
  std::remove(path.c_str());
  REQUIRE(lines.size() == 8);
  CHECK(lines[0] == "thread,time,action,device,tag,bytes,call site");
  CHECK(without_time(lines[1]) == "0,reserve,/GPU:0,MatMul,2097152,train.cpp:40");
  CHECK(without_time(lines[2]) == "0,allocate,/GPU:0,MatMul,3145728,train.cpp:40");
  CHECK(without_time(lines[3]) == "0,free,/GPU:0,Add,256,train.cpp:41");
  CHECK(without_time(lines[4]) == "0,fail,/GPU:0,Sum,62914560,train.cpp:42");
  CHECK(without_time(lines[5]) == "0,free,/GPU:0,MatMul,3145728,train.cpp:40");
  CHECK(without_time(lines[6]) == "1,allocate,/GPU:0,\"odd, \"\"name\"\"\",256,\"a,b.cpp:7\"");
  CHECK(without_time(lines[7]) == "0,release,/GPU:0,,2097152,");
  std::string const time = lines[1].substr(2, lines[1].find(',', 2) - 2);
  CHECK(time.size() == time.find('.') + 10);  // seconds with nine digits
  CHECK(lines[1].substr(2, time.size()) <= lines[2].substr(2, time.size()));
}

TEST_CASE("there is one allocation log at a time, and it needs a file that can be opened") {
  std::string const path = "allocation_log_of_another_test.csv";
  {
    allocation_log const log(path.c_str());
    CHECK_THROWS_AS(allocation_log(path.c_str()), invalid_argument);
  }
  std::remove(path.c_str());
  CHECK_THROWS_AS(allocation_log("no/such/folder/file.csv"), invalid_argument);
  CHECK_FALSE(detail::has_memory_observer());
}
