// gpus: 1
// Memory of static and thread_local tensors returns to the device at program exit, and the queues
// are closed. The last destroyed object of this file checks that, and ends the process with an
// error otherwise.
#include <placement/device/simulated.hpp>
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>

#include <support/faulty_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace placement;

namespace {

simulated_platform& gpus() {
  static auto& all = *new simulated_platform({.count = 1});
  return all;
}
faulty_platform& watched() {
  static auto& all = *new faulty_platform(gpus());
  return all;
}

/// Constructed first, destroyed last.
struct last_look {
  bool used = false, opened_again = false;

  ~last_look() {
    if (!used) return;
    if (watched().open_ranges() != 0 || gpus().memory(0).free != gpus().memory(0).total)
      fail("the device still backs memory at the end\n");
    if (opened_again && watched().calls(call::open_queue) != 2) fail("no queue was opened again\n");
    if (watched().open_queues() != 0) fail("a queue is still open at the end\n");
  }
  static void fail(char const* what) {
    std::fputs(what, stderr);
    std::_Exit(3);
  }
} at_the_end;

tensor<float, dextents<1>> early;  // empty: destroyed after the pools are closed
thread_local tensor<float, dextents<1>> of_thread;

/// Uses the GPU after its pools and queues are closed.
struct late_user {
  ~late_user() {
    if (at_the_end.opened_again) early = evaluate(zeros<float>(10));
  }
} at_last;

void use_gpu() {
  register_gpu_platform(watched());
  at_the_end.used = true;
}

}  // namespace

TEST_CASE("a static tensor that outlives the pools frees its memory") {
  use_gpu();
  early = evaluate(zeros<float>(1000));
  CHECK(early.where() == gpu0);
  CHECK(gpus().memory(0).free < gpus().memory(0).total);
}

TEST_CASE("a static tensor that is constructed after the pools frees its memory") {
  use_gpu();
  tensor const first = zeros<float>(1000);
  static tensor<float, dextents<1>> const late = zeros<float>(2000);
  CHECK(late.where() == gpu0);
}

TEST_CASE("a thread_local tensor of the main thread frees its memory") {
  use_gpu();
  of_thread = evaluate(zeros<float>(1000));
  CHECK(of_thread.where() == gpu0);
}

TEST_CASE("a thread_local tensor of another thread frees its memory") {
  use_gpu();
  std::thread([] {
    of_thread = evaluate(zeros<float>(1000));
    CHECK(memory_stats_of(gpu0).allocations == 1);
  }).join();
  CHECK(memory_stats_of(gpu0).allocations == 0);
}

TEST_CASE("static and thread_local tensors together free their memory") {
  use_gpu();
  early = evaluate(zeros<float>(10));
  of_thread = evaluate(early + 1.f);
  static tensor<float, dextents<1>> const shared = early;
  static tensor<float, dextents<1>> made_again;
  struct late_user {
    ~late_user() { made_again = evaluate(shared * 2.f); }
  };
  made_again = of_thread;
  static late_user const user;
  CHECK(made_again.where() == gpu0);
}

TEST_CASE("unused reserved memory is released at exit") {
  use_gpu();
  { tensor const t = zeros<float>(1000); }
  CHECK(memory_stats_of(gpu0).in_use == 0);
  CHECK(memory_stats_of(gpu0).reserved != 0);
}

TEST_CASE("queues of devices that were only listed are closed") {
  use_gpu();
  CHECK(this_machine().gpus == 1);
  CHECK(watched().open_queues() == 1);
}

TEST_CASE("queues of devices whose memory was not used are closed") {
  use_gpu();
  CHECK(memory_stats_of(cpu0).in_use == 0);
  CHECK(watched().open_queues() == 1);
}

TEST_CASE("each virtual device of a split GPU has a queue of its own, which is closed") {
  use_gpu();
  set_logical_device_configuration(
      {gpu0}, {{.memory_limit_mib = 16}, {.memory_limit_mib = 8}, {.memory_limit_mib = 8}});
  CHECK(this_machine().gpus == 3);
  CHECK(watched().open_queues() == 3);
  pool_of(device{kind::gpu, 2}).deallocate(pool_of(device{kind::gpu, 2}).allocate(1), 1);
}

TEST_CASE("a device that is first used during exit opens its queue again") {
  use_gpu();
  CHECK(this_machine().gpus == 1);
  CHECK(watched().calls(call::open_queue) == 1);
  at_the_end.opened_again = true;
}
