// gpus: 2
// env: [hidden] CUDA_VISIBLE_DEVICES=1
// env: [hardware] PLACEMENT_SIMULATED_GPUS=0
// env: [hardware] PLACEMENT_SIMULATED_GPUS= CUDA_VISIBLE_DEVICES=
// Platforms other than the library's: one that fails, and one that counts as hardware.
#include <support/faulty_platform.hpp>
#include <support/wrapped_platform.hpp>

#include <placement/device/query.hpp>
#include <placement/device/simulated.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

/// Never destroyed, because the registry keeps platforms for the rest of the process.
faulty_platform& faulty() {
  static auto& inner = *new simulated_platform({.count = 3});
  static auto& outer = *new faulty_platform(inner);
  return outer;
}

/// Two devices that count as hardware and have no machine numbers.
class hardware_platform final : public wrapped_platform {
 public:
  hardware_platform() : wrapped_platform(*new simulated_platform({.count = 2})) {}

  bool simulated() const noexcept override { return false; }
  software_versions versions() noexcept override { return {13000, 13010}; }
  hardware describe(int ordinal) override {
    hardware about = wrapped_platform::describe(ordinal);
    about.name = "Some GPU";
    about.machine_index = -1;
    return about;
  }
};

hardware_platform& hardware_gpus() {
  static auto& gpus = *new hardware_platform;
  return gpus;
}

template <class Call> std::string error_message(Call call) {
  try {
    call();
  } catch (error const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("a registered simulated platform takes precedence over the built-in one") {
  CHECK(device_count() == 2);
  register_gpu_platform(faulty());
  CHECK(device_count() == 3);
  CHECK(logical(gpu0).owner == &faulty());
  CHECK_FALSE(this_machine().real);
}

TEST_CASE("CUDA_VISIBLE_DEVICES filters a registered simulated platform", "[hidden]") {
  register_gpu_platform(faulty());
  CHECK(device_count() == 1);
  CHECK(logical(gpu0).ordinal == 1);
}

TEST_CASE(
    "a platform that fails at any call leaves the configuration open, and the next try works") {
  register_gpu_platform(faulty());
  int failures = 0;
  for (int k = 1; !is_initialized(); ++k) {
    faulty().fail(k);
    if (error_message([] { freeze_configuration(); }).empty()) break;
    ++failures;
    CHECK_FALSE(is_initialized());
    CHECK(faulty().open_queues() == 0);
  }
  faulty().fail(0);
  CHECK(failures == 3);  // one queue for each of the three GPUs
  CHECK(this_machine().gpus == 3);
  CHECK(faulty().open_queues() == 3);
}

TEST_CASE("a query that fails changes nothing") {
  register_gpu_platform(faulty());
  faulty().fail(call::describe, 1);
  CHECK(error_message([] { (void)device_mapping(); }) == "faulty platform: call failed");
  CHECK(device_mapping().find("device:GPU:2 -> device: 2, name: Simulated GPU") !=
        std::string::npos);
}

TEST_CASE("a faulty platform counts calls, fails the requested call, and delays copies") {
  faulty_platform& p = faulty();
  void* const base = p.reserve(0, 4096);
  p.fail(call::commit, 2);
  CHECK(error_message([&] { p.commit(0, base, 0, 4096); }).empty());
  CHECK(error_message([&] { p.commit(0, base, 0, 4096); }) == "faulty platform: no memory");
  CHECK(error_message([&] { p.commit(0, base, 0, 4096); }).empty());
  CHECK(p.calls(call::commit) == 3);
  CHECK(p.calls() == 4);
  CHECK(p.open_ranges() == 1);

  queue const work = p.open_queue(0);
  p.delay_copies(true);
  int from = 5, there = 0, back = 0;
  p.copy(work, {base, 0}, {&from}, sizeof from);
  p.copy(work, {&there}, {base, 0}, sizeof there);
  CHECK(there == 0);
  p.synchronise(work);
  CHECK(there == 5);
  p.copy(work, {&back}, {base, 0}, sizeof back);
  event const done = p.record(work);
  CHECK(p.open_events() == 1);
  p.wait(work, done);
  CHECK(back == 5);
  CHECK(p.open_events() == 0);
  event const lost = p.record(work);
  p.fail(call::wait, 1);
  CHECK(error_message([&] { p.wait(work, lost); }) == "faulty platform: call failed");
  CHECK(p.open_events() == 0);
  p.close_queue(work);
  p.release(0, base, 4096);
  CHECK(p.open_ranges() == 0);
  CHECK(p.open_queues() == 0);
}

TEST_CASE("simulated GPUs replace hardware and never mix with it") {
  register_gpu_platform(hardware_gpus());
  CHECK(is_built_with_cuda());
  CHECK(hardware_name(gpu0) == "Simulated GPU");
  CHECK(this_machine() == machine{.cpus = 1, .gpus = 2, .real = false});
}

TEST_CASE("without simulated GPUs the registered hardware is used", "[hardware]") {
  register_gpu_platform(hardware_gpus());
  CHECK(cuda_runtime_version() == 13000);
  CHECK(cuda_driver_version() == 13010);
  // CUDA itself applies CUDA_VISIBLE_DEVICES, so its devices are not filtered again.
  set_visible_device_list("1");
  CHECK(device_mapping() ==
        "Device mapping:\n/job:localhost/replica:0/task:0/device:GPU:0 -> device: 1, name: Some "
        "GPU, pci bus id: 0000:02:00.0, compute capability: 7.5\n");
  CHECK(this_machine() == machine{.cpus = 1, .gpus = 1, .real = true});
}

TEST_CASE("a platform cannot be added late or twice, but adding the same one again is no error") {
  register_gpu_platform(faulty());
  register_gpu_platform(faulty());
  static auto& another = *new simulated_platform({.count = 1});
  CHECK(error_message([] { register_gpu_platform(another); }) ==
        "This process has another GPU platform already");
  freeze_configuration();
  CHECK(error_message([] { register_gpu_platform(faulty()); }).empty());
  CHECK(error_message([] { register_gpu_platform(hardware_gpus()); }) ==
        "GPU platforms cannot be added after being initialized");
  CHECK_FALSE(is_built_with_cuda());
}

TEST_CASE("threads that use devices for the first time together see the same ones") {
  std::atomic<int> wrong{0};
  std::vector<std::thread> running;
  for (int t = 0; t != 16; ++t)
    running.emplace_back([&wrong, t] {
      set_current_device({kind::gpu, t % 2});
      if (this_machine().gpus != 2 || !exists({kind::gpu, 1}) || exists({kind::gpu, 2})) ++wrong;
      if (logical({kind::gpu, 1}).ordinal != 1) ++wrong;
      if (current_device() != device{kind::gpu, t % 2}) ++wrong;
    });
  for (auto& each : running) each.join();
  CHECK(wrong == 0);
  CHECK(current_device() == device{});
}
