// gpus: 0
// Hardware GPUs in a file that a C++ compiler built: it launches no GPU kernel, so its ops run on
// the CPU and log the reason.
#include <support/hardware_platform.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/interop/pmr.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

using namespace placement;

namespace {

/// Two GPUs that count as hardware. Simulated GPUs of the test's environment would take precedence.
void use_two_gpus() {
  unsetenv("PLACEMENT_SIMULATED_GPUS");
  use_hardware_gpus(2);
}

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }
tensor<float, dextents<2>> guide_b() { return {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}; }

constexpr char const* not_compiled =
    "its GPU kernel was not compiled into this file, nor into another of this program";

}  // namespace

TEST_CASE("the machine has hardware GPUs and no output calls them simulated") {
  use_two_gpus();
  CHECK(this_machine() == machine{.cpus = 1, .gpus = 2, .real = true});
  set_log_device_placement(true);
  log_lines log;
  tensor const y = relu(guide_a());
  CHECK(log.simulated_line().empty());
  CHECK(explain(relu(y)).find("simulated") == std::string::npos);
}

TEST_CASE("constants and ops without kernels in this file stay on the host") {
  use_two_gpus();
  log_lines log;
  with_device const scope(device_request(no_preference, {"user.cpp", 1}));
  tensor const a = guide_a(), b = guide_b();
  tensor const c = matmul(a, b, {"user.cpp", 3});
  CHECK(a.where() == cpu0);
  CHECK(c.where() == cpu0);
  CHECK(to_string(c) == "[[22 28]\n [49 64]]");
  std::string const why =
      std::string(" would go to a GPU, runs on /CPU:0: ") + not_compiled + " at user.cpp:";
  CHECK(log.take_all() == lines_of{"placement: fallback: Const<float> [2, 3]" + why + "1",
                                   "placement: fallback: MatMul<float> [2, 2]" + why + "3"});
  CHECK(plan_of(relu(c)).node("Relu").why == reason::not_compiled_here);
}

TEST_CASE("ops without kernels in this file run on the CPU inside an explicit GPU scope too") {
  use_two_gpus();
  log_lines log;
  tensor const a = guide_a();
  log.take_all();
  with_device const scope("/gpu:1");
  tensor const y = relu(a, {"user.cpp", 3});
  CHECK(y.where() == cpu0);
  CHECK(to_string(y.requested()) == "/GPU:1");
  CHECK(log.take_all() ==
        lines_of{std::string(
                     "placement: fallback: Relu<float> [2, 3] asked for /GPU:1, runs on /CPU:0: ") +
                 not_compiled + " at user.cpp:3"});
}

TEST_CASE(
    "the reason for an op without a declared GPU kernel says that, not that it is not compiled") {
  use_two_gpus();
  log_lines log;
  tensor const y = next(guide_a());
  CHECK(fallbacks().at(1).op == "Next<float>");
  CHECK(fallbacks().at(1).why == reason::no_gpu_kernel);
}

TEST_CASE("under hard placement an op whose kernel is not compiled is an error") {
  use_two_gpus();
  log_lines log;
  tensor const a = guide_a();
  with_device const scope("/gpu:0", hard_placement{});
  CHECK(
      error_message<placement_error>([&] { tensor const y = relu(a, {"user.cpp", 3}); }) ==
      std::string(
          "Cannot assign a device to node 'Relu': Could not satisfy explicit device specification '/gpu:0' for "
          "Relu<float> [2, 3]: ") +
          not_compiled +
          " at user.cpp:3; available: /CPU:0, /GPU:0, /GPU:1. Allow soft placement to run it elsewhere.");
}

TEST_CASE("copies to and from hardware GPUs need no kernel") {
  use_two_gpus();
  log_lines log;
  tensor const there = copy_to("/gpu:1", guide_a());
  CHECK(there.where() == device{kind::gpu, 1});
  CHECK(to_string(there) == "[[1 2 3]\n [4 5 6]]");
  CHECK(memory_stats_of({kind::gpu, 1}).allocations == 1);
  tensor const y = relu(there);
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[1 2 3]\n [4 5 6]]");
}

TEST_CASE("host containers cannot use the memory of hardware GPUs") {
  use_two_gpus();
  std::string said;
  try {
    pool_resource const gpu(device{kind::gpu, 1});
  } catch (invalid_argument const& e) { said = e.what(); }
  CHECK(said ==
        "placement: /GPU:1 has memory that containers of the host cannot use. Use the CPU's.");
}

TEST_CASE("a platform without version information reports none") {
  use_two_gpus();
  CHECK(cuda_runtime_version() == 0);
  CHECK(cuda_driver_version() == 0);
}
