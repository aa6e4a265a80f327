// gpus: 2
// env: [threads] PLACEMENT_INTRA_OP_THREADS=3 PLACEMENT_INTER_OP_THREADS=2
// env: [full] PLACEMENT_SIMULATED_GPU_MEMORY=64MiB PLACEMENT_SIMULATED_GPU_HELD=64MiB
// env: [held] PLACEMENT_SIMULATED_GPU_MEMORY=64MiB PLACEMENT_SIMULATED_GPU_HELD=0,64MiB
// env: [malformed] PLACEMENT_SIMULATED_GPU_MEMORY=lots
// env: [malformed] PLACEMENT_LOG=loud
// Threads, simulated GPUs and the environment: allowed values, and when they can be set.
#include <placement/device/environment.hpp>
#include <placement/device/query.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdlib>
#include <string>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

template <class Call> std::string error_message(Call call) {
  try {
    call();
  } catch (error const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("the default number of threads is 0 for automatic") {
  CHECK(intra_op_threads() == 0);
  CHECK(inter_op_threads() == 0);
  set_intra_op_threads(4);
  set_inter_op_threads(2);
  CHECK(intra_op_threads() == 4);
  CHECK(inter_op_threads() == 2);
  CHECK_FALSE(is_initialized());
}

TEST_CASE("an invalid number of threads is an error") {
  CHECK(error_message([] { set_intra_op_threads(-1); }) ==
        "A number of threads is from 0 (as many as help) to 4096, not -1");
  CHECK(error_message([] { set_inter_op_threads(4097); }) ==
        "A number of threads is from 0 (as many as help) to 4096, not 4097");
}

TEST_CASE("threads cannot be modified late, but setting the value in force is no error") {
  set_intra_op_threads(4);
  freeze_configuration();
  CHECK(error_message([] { set_intra_op_threads(5); }) ==
        "Intra op parallelism cannot be modified after initialization.");
  CHECK(error_message([] { set_inter_op_threads(1); }) ==
        "Inter op parallelism cannot be modified after initialization.");
  CHECK(error_message([] { set_intra_op_threads(4); }).empty());
  CHECK(error_message([] { set_inter_op_threads(0); }).empty());
}

TEST_CASE("the environment sets the number of threads, and code overrides it", "[threads]") {
  CHECK(intra_op_threads() == 3);
  CHECK(inter_op_threads() == 2);
  set_intra_op_threads(8);
  CHECK(intra_op_threads() == 8);
  CHECK(environment_report() ==
        "PLACEMENT_SIMULATED_GPUS='2': in effect\n"
        "PLACEMENT_INTRA_OP_THREADS='3': overridden by set_intra_op_threads()\n"
        "PLACEMENT_INTER_OP_THREADS='2': in effect\n");
}

TEST_CASE("simulated GPUs can be set in code until the first use") {
  set_simulated_gpus({.count = 3, .memory_bytes = 5 * mib, .held_bytes = mib, .name = "T4"});
  CHECK(list_physical_devices("GPU").size() == 3);
  CHECK(hardware_name(gpu0) == "Simulated GPU (T4)");
  set_simulated_gpus({.count = 1, .memory_bytes = 5 * mib});
  CHECK(list_physical_devices("GPU").size() == 1);
  CHECK(this_machine().gpus == 1);
  CHECK(logical(gpu0).owner->memory(0).total == 5 * mib);
  CHECK(error_message([] { set_simulated_gpus({.count = 2}); }) ==
        "Simulated GPUs cannot be modified after being initialized");
  CHECK(error_message([] { set_simulated_gpus({.count = 1, .memory_bytes = 5 * mib}); }).empty());
  CHECK(environment_report() ==
        "PLACEMENT_SIMULATED_GPUS='2': overridden by set_simulated_gpus()\n");
}

TEST_CASE("simulated GPUs can be disabled in code") {
  set_simulated_gpus({.count = 0});
  CHECK(this_machine() == machine{});
}

TEST_CASE("simulated GPUs must be set before other settings of GPUs") {
  set_memory_growth({{kind::gpu, 1}}, false);
  CHECK(error_message([] { set_simulated_gpus({.count = 1}); }) ==
        "Simulated GPUs cannot be modified after other settings of GPUs");
  CHECK(error_message([] { set_simulated_gpus({.count = 2}); }).empty());
}

TEST_CASE("invalid simulated GPUs are an error") {
  CHECK(error_message([] { set_simulated_gpus({.count = 65}); }) ==
        "There can be 0 to 64 simulated GPUs, not 65");
  CHECK(error_message([] { set_simulated_gpus({.count = -1}); }) ==
        "There can be 0 to 64 simulated GPUs, not -1");
  CHECK(error_message([] { set_simulated_gpus({.count = 1, .memory_bytes = 0}); }) ==
        "A simulated GPU needs memory_bytes above 0");
  CHECK(device_count() == 2);
}

TEST_CASE("devices are listed while a GPU's memory is full", "[full]") {
  CHECK(list_physical_devices("GPU").size() == 2);
  CHECK(list_logical_devices("GPU").size() == 2);
  logical_device const& first = logical(gpu0);
  CHECK(first.owner->memory(first.ordinal).free == 0);
  CHECK(first.owner->memory(first.ordinal).total == 64 * mib);
  CHECK(hardware_name(gpu0) == "Simulated GPU");
}

TEST_CASE("others can hold memory of some simulated GPUs only", "[held]") {
  CHECK(memory_info_of(gpu0).free == 64 * mib);
  CHECK(memory_info_of({kind::gpu, 1}).free == 0);
  CHECK(memory_info_of({kind::gpu, 1}).total == 64 * mib);
  CHECK(list_logical_devices("GPU").size() == 2);
}

TEST_CASE("a malformed variable is an error at the first use, and again at each later one",
          "[malformed]") {
  std::string const message =
      std::getenv("PLACEMENT_LOG") != nullptr
          ? "The environment variable PLACEMENT_LOG is 'loud'; it must be off, fallback, copies or "
            "all"
          : "The environment variable PLACEMENT_SIMULATED_GPU_MEMORY is 'lots'; it must be a size "
            "above 0 such as 512MiB, 1GiB or 1073741824";
  for (int i = 0; i != 2; ++i) {
    CHECK(error_message([] { (void)environment_variables(); }) == message);
    CHECK(error_message([] { (void)list_physical_devices(); }) == message);
    CHECK(error_message([] { (void)this_machine(); }) == message);
    CHECK(error_message([] { (void)logical(cpu0); }) == message);
    CHECK(error_message([] { (void)device_mapping(); }) == message);
  }
  CHECK_FALSE(is_initialized());
  CHECK(environment_report().ends_with("None is in effect. " + message + "\n"));
}

TEST_CASE("the environment is read once") {
  CHECK(device_count() == 2);
  REQUIRE(setenv("PLACEMENT_SIMULATED_GPUS", "7", 1) == 0);
  CHECK(device_count() == 2);
  CHECK(environment_report() == "PLACEMENT_SIMULATED_GPUS='2': in effect\n");
}

TEST_CASE("the report says if no variables are set") {
  REQUIRE(unsetenv("PLACEMENT_SIMULATED_GPUS") == 0);
  CHECK(environment_report() == "No environment variable of the library is set.\n");
}
