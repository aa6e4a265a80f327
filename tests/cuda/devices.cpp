// gpus: 0
// The GPUs that the driver lists, and the reason if there is none.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>
#include <vector>

using namespace placement;

namespace {

void see(char const* devices) { setenv("CUDA_VISIBLE_DEVICES", devices, 1); }

/// Three GPUs with different names and UUIDs.
fake_cuda& three_gpus() {
  fake_cuda& driver = use_fake_gpus(3);
  driver.gpus[1].name = "NVIDIA Fake T4";
  driver.gpus[1].pci = "0000:0B:00.0";
  driver.gpus[1].uuid = 0x2b;
  driver.gpus[2].pci = "0000:0C:00.0";
  driver.gpus[2].uuid = 0x3c;
  return driver;
}

std::vector<int> machine_numbers() {
  std::vector<int> numbers;
  for (auto const& p : list_physical_devices("GPU"))
    numbers.push_back(properties(p.id).machine_index);
  return numbers;
}

}  // namespace

TEST_CASE(
    "GPUs are listed with the properties that the driver reports, and no context is created") {
  fake_cuda& driver = three_gpus();
  REQUIRE(list_physical_devices("GPU").size() == 3);
  CHECK(is_built_with_cuda());
  CHECK(why_no_gpu().empty());
  CHECK(machine_numbers() == std::vector{0, 1, 2});
  hardware const about = properties(gpu1);
  CHECK(about.name == "NVIDIA Fake T4");
  CHECK(about.pci_bus_id == "0000:0b:00.0");
  CHECK(about.uuid == "GPU-2b2b2b2b-2b2b-2b2b-2b2b-2b2b2b2b2b2b");
  CHECK(capability(gpu1) == compute_capability{9, 0});
  CHECK(about.memory_bytes == std::size_t{1} << 30);
  CHECK(device_mapping().find("device:GPU:1 -> device: 1, name: NVIDIA Fake T4, pci bus id: "
                              "0000:0b:00.0, compute capability: 9.0\n") != std::string::npos);
  CHECK(cuda_runtime_version() == CUDA_VERSION);
  CHECK(cuda_driver_version() == CUDA_VERSION);
  CHECK(driver.contexts == 0);
  CHECK(driver.open() == 0);
}

TEST_CASE("a GPU without free memory is listed and can be configured, and no context is created") {
  fake_cuda& driver = use_fake_gpus(1);
  driver.gpus[0].held = driver.gpus[0].total;
  driver.fail("cuDevicePrimaryCtxRetain", 1, CUDA_ERROR_OUT_OF_MEMORY);
  auto const gpus = list_physical_devices("GPU");
  REQUIRE(gpus.size() == 1);
  set_logical_device_limits(gpus[0], {std::size_t{600} << 20, std::size_t{400} << 20});
  CHECK(
      error_message([&] { set_logical_device_limits(gpus[0], {std::size_t{2} << 30}); }) ==
      "The memory limits of the 1 logical device on /physical_device:GPU:0 are more than its 1024 "
      "MiB");
  CHECK(list_logical_devices("GPU").size() == 2);
  CHECK(this_machine().real);
  CHECK(driver.contexts == 0);
  CHECK(driver.calls["cuDevicePrimaryCtxRetain"] == 0);
}

TEST_CASE(
    "CUDA_VISIBLE_DEVICES filters once, in the driver, and machine_numbers keeps the indices") {
  see("2,1");
  three_gpus();
  REQUIRE(list_physical_devices("GPU").size() == 2);
  CHECK(machine_numbers() == std::vector{2, 1});
  CHECK(hardware_name(gpu1) == "NVIDIA Fake T4");
  CHECK(device_numbering() == "/GPU:0 is device 2, /GPU:1 is device 1");
}

TEST_CASE("the list and machine_numbers end at the first entry that is no device") {
  see("1,7,0");
  three_gpus();
  CHECK(machine_numbers() == std::vector{1});
}

TEST_CASE("a GPU selected by its UUID has an unknown machine number") {
  see("GPU-3c3c");
  three_gpus();
  CHECK(machine_numbers() == std::vector{-1});
  CHECK(properties(gpu0).uuid.starts_with("GPU-3c3c3c3c-"));
}

TEST_CASE("a MIG part of a GPU has the name and the UUID of the part") {
  see("MIG-5e5e5e5e-5e5e-5e5e-5e5e-5e5e5e5e5e5e");
  fake_cuda& driver = three_gpus();
  driver.gpus[0].name = "NVIDIA Fake H100 MIG 1g.10gb";
  driver.gpus[0].mig_uuid = 0x5e;
  REQUIRE(list_physical_devices("GPU").size() == 1);
  CHECK(hardware_name(gpu0) == "NVIDIA Fake H100 MIG 1g.10gb");
  CHECK(properties(gpu0).uuid == "MIG-5e5e5e5e-5e5e-5e5e-5e5e-5e5e5e5e5e5e");
}

TEST_CASE("the visible device list of the program indexes the GPUs that the driver shows") {
  see("2,1");
  three_gpus();
  set_visible_device_list("1");
  CHECK(this_machine() == machine{.cpus = 1, .gpus = 1, .real = true});
  CHECK(hardware_name(gpu0) == "NVIDIA Fake T4");
}

TEST_CASE("simulated GPUs take precedence over the driver, which is not called") {
  setenv("PLACEMENT_SIMULATED_GPUS", "1", 1);
  fake_cuda& driver = three_gpus();
  CHECK(hardware_name(gpu0) == "Simulated GPU");
  CHECK(driver.calls["cuInit"] == 0);
}

// ---- why there is no GPU

TEST_CASE("a machine without a driver has no GPU, and why_no_gpu gives the reason") {
  cuda::driver const api("libplacement-no-such-driver.so.1");
  cuda::cuda_platform none(api);
  CHECK(none.count() == 0);
  CHECK(none.why_none() ==
        "There is no GPU, because the CUDA driver could not be opened: "
        "libplacement-no-such-driver.so.1: cannot open shared object file: No such file or "
        "directory. Install NVIDIA's driver, or start the container with the machine's GPUs.");
  CHECK(none.versions().driver == 0);
}

TEST_CASE("the error for a driver older than the program's CUDA gives both versions") {
  cuda::driver const api("libtest_cuda_driver_too_old.so");
  cuda::cuda_platform none(api);
  CHECK(none.why_none() ==
        "There is no GPU, because the CUDA driver runs programs of CUDA 10.1 at "
        "most, and this one is of CUDA " +
            cuda::version_text(CUDA_VERSION) +
            ". Update NVIDIA's driver, or compile with an older toolkit.");
  CHECK(none.count() == 0);
  CHECK(none.versions().driver == 10010);
}

TEST_CASE("the error for a driver that lacks a function names the function") {
  cuda::driver const api("libtest_cuda_driver_without_functions.so");
  cuda::cuda_platform none(api);
  CHECK(none.why_none() ==
        "There is no GPU, because the CUDA driver, of CUDA 99.0, has no function "
        "cuGetErrorName. Update NVIDIA's driver.");
}

TEST_CASE("a libcuda.so.1 that is no driver causes no crash") {
  cuda::driver const api("libm.so.6");
  cuda::cuda_platform none(api);
  CHECK(none.why_none() ==
        "There is no GPU, because the CUDA driver has no function "
        "cuInit. Update NVIDIA's driver.");
}

TEST_CASE("why_no_gpu says that the machine has no GPU") {
  use_fake_gpus(0);
  CHECK(why_no_gpu() ==
        "There is no GPU, because the CUDA driver finds none on this machine. Look for "
        "it with nvidia-smi.");
  CHECK(this_machine() == machine{});
}

TEST_CASE(
    "the reason for an empty CUDA_VISIBLE_DEVICES gives its value, whatever the driver returns") {
  for (bool refuses : {true, false}) {
    see("-1");
    three_gpus().refuses_no_device = refuses;
    cuda::driver const api;
    cuda::cuda_platform none(api);
    CHECK(none.why_none() ==
          "There is no GPU, because CUDA_VISIBLE_DEVICES='-1' leaves none visible. "
          "Unset it, or name one, as in CUDA_VISIBLE_DEVICES=0.");
  }
}

TEST_CASE("the reason for a driver that does not start names its error") {
  use_fake_gpus().init = CUDA_ERROR_UNKNOWN;
  CHECK(why_no_gpu() ==
        "There is no GPU, because cuInit failed: CUDA_ERROR_UNKNOWN (999, unknown "
        "error). Look whether nvidia-smi works.");
}

TEST_CASE("an error that the driver has no name for is reported by its number") {
  use_fake_gpus().init = CUDA_ERROR_STUB_LIBRARY;
  CHECK(why_no_gpu().starts_with(
      "There is no GPU, because cuInit failed: an error that the driver has "
      "no name for (34)."));
}

TEST_CASE("a GPU older than all code of the program is left out, and the reason names the option") {
  fake_cuda& driver = use_fake_gpus(1);
  driver.gpus[0].name = "Tesla T4";
  driver.gpus[0].major = 7;
  driver.gpus[0].minor = 5;
  cuda::detail::register_cuda({1000});
  CHECK(
      why_no_gpu() ==
      "There is no GPU, because this program was compiled for compute capability 9.0 and above, and "
      "Tesla T4 has 7.5. Compile it with CMAKE_CUDA_ARCHITECTURES=75, or nvcc -arch=sm_75.");
}

TEST_CASE("GPUs that the program has code for keep their machine numbers") {
  fake_cuda& driver = three_gpus();
  driver.gpus[0].major = 8;
  CHECK(machine_numbers() == std::vector{1, 2});
  CHECK(why_no_gpu().empty());
}

TEST_CASE("a failed driver query leaves the GPU out, and the reason names it") {
  for (char const* function :
       {"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetPCIBusId", "cuDeviceGetUuid",
        "cuDeviceGetUuid_v2", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2"}) {
    cuda::driver const api;
    cuda::cuda_platform platform(api);
    fake_cuda& driver = fake();
    driver.fail(function);
    CHECK(platform.count() == 1);
  }
  cuda::driver const api;
  cuda::cuda_platform platform(api);
  fake().fail("cuDeviceGetCount");
  CHECK(platform.why_none() ==
        "There is no GPU, because cuDeviceGetCount failed: CUDA_ERROR_UNKNOWN "
        "(999, unknown error). Look whether nvidia-smi works.");
}

TEST_CASE("why_no_gpu says that the program made no GPU visible") {
  three_gpus();
  set_visible_devices({}, "GPU");
  CHECK(why_no_gpu() ==
        "There is no visible GPU, because this program made none of 3 visible. Look "
        "for set_visible_devices or visible_gpus.");
}

TEST_CASE("why_no_gpu says that CUDA_VISIBLE_DEVICES hides the simulated GPUs") {
  see("");
  setenv("PLACEMENT_SIMULATED_GPUS", "2", 1);
  CHECK(why_no_gpu() ==
        "There is no visible GPU, because CUDA_VISIBLE_DEVICES='' leaves none of 2. "
        "Unset it, or name one.");
}

TEST_CASE("why_no_gpu asks for a file compiled by nvcc if the program has none") {
  CHECK_FALSE(is_built_with_cuda());
  CHECK(why_no_gpu() ==
        "There is no GPU, because no file of this program was compiled with CUDA. "
        "Compile one with nvcc and link placement::cuda, or set "
        "PLACEMENT_SIMULATED_GPUS.");
}

TEST_CASE("the error for a GPU name includes the reason that there is no GPU") {
  see("-1");
  three_gpus();
  CHECK(
      error_message([] { logical(gpu0); }) ==
      "/job:localhost/replica:0/task:0/device:GPU:0 unknown device; available: /CPU:0. There is no "
      "GPU, because CUDA_VISIBLE_DEVICES='-1' leaves none visible. Unset it, or name one, as in "
      "CUDA_VISIBLE_DEVICES=0.");
}

TEST_CASE("registering a platform after the devices are fixed changes nothing") {
  freeze_configuration();
  CHECK_FALSE(cuda::detail::register_cuda({900}));
  CHECK(this_machine() == machine{});
}
