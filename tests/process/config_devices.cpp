// gpus: 2
// env: [growth_off] TF_FORCE_GPU_ALLOW_GROWTH=false
// Memory growth, fractions, limits and virtual devices: allowed values, and when they can be set.
#include <placement/device/environment.hpp>
#include <placement/device/query.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr physical_device cpu_0{{kind::cpu, 0}}, gpu_0{{kind::gpu, 0}}, gpu_1{{kind::gpu, 1}};

template <class Call> std::string error_message(Call call) {
  try {
    call();
  } catch (invalid_argument const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("two GPUs with the first one split in two are 2 physical and 3 logical GPUs") {
  set_logical_device_configuration(gpu_0, {{.memory_limit_mib = 128}, {.memory_limit_mib = 256}});
  auto const physical = list_physical_devices("GPU");
  auto const logical_gpus = list_logical_devices("GPU");
  CHECK(std::to_string(physical.size()) + " Physical GPU, " + std::to_string(logical_gpus.size()) +
            " Logical GPUs" ==
        "2 Physical GPU, 3 Logical GPUs");
  CHECK(this_machine() == machine{.cpus = 1, .gpus = 3, .real = false});
}

TEST_CASE("logical GPUs follow the order of visible ones, with consecutive virtual devices") {
  set_visible_device_list("1,0");
  set_logical_device_configuration(gpu_1, {{.memory_limit_mib = 10}, {.memory_limit_mib = 20}});
  CHECK(logical({kind::gpu, 0}).part_of == gpu_1);
  CHECK(logical({kind::gpu, 0}).memory_limit == 10 * mib);
  CHECK(logical({kind::gpu, 1}).part_of == gpu_1);
  CHECK(logical({kind::gpu, 1}).memory_limit == 20 * mib);
  CHECK(logical({kind::gpu, 2}).part_of == gpu_0);
  CHECK(logical({kind::gpu, 2}).memory_limit == 0);
  CHECK(device_mapping() ==
        "Device mapping:\n"
        "/job:localhost/replica:0/task:0/device:GPU:0 -> device: 1, name: Simulated GPU, pci bus "
        "id: 0000:02:00.0, compute capability: 7.5\n"
        "/job:localhost/replica:0/task:0/device:GPU:1 -> device: 1, name: Simulated GPU, pci bus "
        "id: 0000:02:00.0, compute capability: 7.5\n"
        "/job:localhost/replica:0/task:0/device:GPU:2 -> device: 0, name: Simulated GPU, pci bus "
        "id: 0000:01:00.0, compute capability: 7.5\n");
}

TEST_CASE("virtual devices of a GPU need a limit") {
  std::string const message = "Setting memory limit is required for GPU virtual devices";
  CHECK(error_message([] { set_logical_device_configuration(gpu_0, {{}}); }) == message);
  CHECK(error_message([] {
          set_logical_device_configuration(gpu_0, {{.memory_limit_mib = 1}, {}});
        }) == message);
  CHECK(device_count() == 2);
}

TEST_CASE("the limits of virtual devices are checked against the memory of the GPU") {
  auto const split = [](std::vector<logical_device_configuration> const& parts) {
    return error_message([&] { set_logical_device_configuration(gpu_0, parts); });
  };
  CHECK(split({{512}, {512}}).empty());
  CHECK(split({{512}, {513}}) ==
        "The memory limits of the 2 logical devices on /physical_device:GPU:0 are more than its "
        "1024 MiB");
  CHECK(split({{~std::size_t{0}}}).starts_with("The memory limits of the 1 logical device"));
  CHECK(split({{std::size_t{1} << 44}}).starts_with("The memory limits"));
  CHECK(split({{1}, {~std::size_t{0}}, {1}}).starts_with("The memory limits"));
  CHECK(logical_device_limits(gpu_0) == std::vector<std::size_t>{512 * mib, 512 * mib});
}

TEST_CASE("a limit in bytes caps a GPU without splitting it, and an empty list removes it") {
  set_logical_device_limits(gpu_1, {1000});
  CHECK(device_count() == 2);
  CHECK(logical_device_limits(gpu_1) == std::vector<std::size_t>{1000});
  set_logical_device_configuration(gpu_1, {});
  CHECK(logical_device_limits(gpu_1).empty());
  set_logical_device_limits(gpu_1, {2000});
  CHECK(logical({kind::gpu, 1}).memory_limit == 2000);
}

TEST_CASE("the CPU can be split without limits") {
  set_logical_device_configuration(cpu_0, {{}, {}});
  CHECK(device_count(kind::cpu) == 2);
  CHECK(to_string(list_logical_devices("CPU")) ==
        "[LogicalDevice(name='/device:CPU:0', device_type='CPU'), "
        "LogicalDevice(name='/device:CPU:1', device_type='CPU')]");
  CHECK(logical({kind::cpu, 1}).part_of == cpu_0);
  CHECK(logical_device_limits(cpu_0).empty());
  CHECK(error_message([] { set_logical_device_configuration(cpu_0, {{}, {}}); }).empty());
  CHECK(error_message([] { set_logical_device_configuration(cpu_0, {}); }) ==
        "Virtual devices cannot be modified after being initialized");
}

TEST_CASE("virtual devices of the CPU cannot have a limit") {
  std::string const message =
      "Setting memory limit on CPU virtual devices is currently not supported";
  CHECK(error_message([] { set_logical_device_configuration(cpu_0, {{.memory_limit_mib = 8}}); }) ==
        message);
  CHECK(error_message([] { set_logical_device_limits(cpu_0, {8}); }) == message);
}

TEST_CASE("virtual devices cannot be modified late, but setting the value in force is no error") {
  set_logical_device_configuration(gpu_0, {{64}, {64}});
  freeze_configuration();
  std::string const late = "Virtual devices cannot be modified after being initialized";
  CHECK(error_message([] { set_logical_device_configuration(gpu_0, {{64}, {65}}); }) == late);
  CHECK(error_message([] { set_logical_device_configuration(gpu_0, {}); }) == late);
  CHECK(error_message([] { set_logical_device_configuration(gpu_1, {{64}}); }) == late);
  CHECK(error_message([] { set_logical_device_configuration(gpu_0, {{64}, {64}}); }).empty());
  CHECK(error_message([] { set_logical_device_configuration(gpu_1, {}); }).empty());
  CHECK(error_message([] { set_logical_device_configuration(cpu_0, {{}}); }).empty());
}

TEST_CASE("memory growth is the default, and each GPU has its own setting") {
  CHECK(memory_growth(gpu_0));
  set_memory_growth(gpu_1, false);
  CHECK(memory_growth(gpu_0));
  CHECK_FALSE(memory_growth(gpu_1));
  CHECK(logical({kind::gpu, 0}).growth);
  CHECK_FALSE(logical({kind::gpu, 1}).growth);
}

TEST_CASE("memory growth for a CPU is an error") {
  CHECK(error_message([] { set_memory_growth(cpu_0, true); }) ==
        "Cannot set memory growth on non-GPU devices: "
        "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");
  CHECK(error_message([] { (void)memory_growth(cpu_0); }) ==
        "Cannot query memory growth on non-GPU devices: "
        "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");
}

TEST_CASE("physical devices cannot be modified late, but setting the value in force is no error") {
  set_memory_growth(gpu_1, false);
  set_memory_fraction(0.5);
  freeze_configuration();
  std::string const late = "Physical devices cannot be modified after being initialized";
  CHECK(error_message([] { set_memory_growth(gpu_0, false); }) == late);
  CHECK(error_message([] { set_memory_growth(gpu_1, true); }) == late);
  CHECK(error_message([] { set_memory_fraction(0.25); }) == late);
  CHECK(error_message([] { set_memory_growth(gpu_0, true); }).empty());
  CHECK(error_message([] { set_memory_growth(gpu_1, false); }).empty());
  CHECK(error_message([] { set_memory_fraction(0.5); }).empty());
  CHECK_FALSE(memory_growth(gpu_1));
}

TEST_CASE("code overrides TF_FORCE_GPU_ALLOW_GROWTH, and the report says so", "[growth_off]") {
  CHECK_FALSE(memory_growth(gpu_0));
  CHECK(environment_report().find("TF_FORCE_GPU_ALLOW_GROWTH='false': in effect\n") !=
        std::string::npos);
  set_memory_growth(gpu_0, true);
  CHECK(memory_growth(gpu_0));
  CHECK_FALSE(memory_growth(gpu_1));
  CHECK(environment_report().find(
            "TF_FORCE_GPU_ALLOW_GROWTH='false': overridden by set_memory_growth()\n") !=
        std::string::npos);
  CHECK(logical({kind::gpu, 0}).growth);
  CHECK_FALSE(logical({kind::gpu, 1}).growth);
}

TEST_CASE("an unknown device is an error in each call") {
  physical_device const missing{{kind::gpu, 2}};
  std::string const start =
      "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:2', device_type='GPU')";
  CHECK(error_message([&] { set_memory_growth(missing, true); }).starts_with(start));
  CHECK(error_message([&] { (void)memory_growth(missing); }).starts_with(start));
  CHECK(
      error_message([&] { set_logical_device_configuration(missing, {{1}}); }).starts_with(start));
  CHECK(error_message([&] { set_logical_device_limits(missing, {1}); }).starts_with(start));
  CHECK(error_message([&] { (void)logical_device_limits(missing); }).starts_with(start));
}

TEST_CASE("a memory fraction is above 0 and at most 1") {
  CHECK(memory_fraction() == 0);
  for (double wrong : {0.0, -0.5, 1.5, std::nan("")})
    CHECK_THROWS_AS(set_memory_fraction(wrong), invalid_argument);
  CHECK(error_message([] { set_memory_fraction(1.5); }) ==
        "A memory fraction is above 0 and at most 1, not 1.5");
  CHECK(error_message([] { set_memory_fraction(1.0000001); }) ==
        "A memory fraction is above 0 and at most 1, not 1.0000001");
  CHECK(memory_fraction() == 0);
  set_memory_fraction(1);
  CHECK(logical(gpu0).fraction == 1);
}

TEST_CASE("growth, limits and fractions can be combined") {
  set_memory_growth(gpu_0, true);
  set_memory_fraction(0.5);
  set_logical_device_configuration(gpu_0, {{.memory_limit_mib = 100}, {.memory_limit_mib = 50}});
  CHECK(logical({kind::gpu, 1}).growth);
  CHECK(logical({kind::gpu, 1}).fraction == 0.5);
  CHECK(logical({kind::gpu, 1}).memory_limit == 50 * mib);
  CHECK(logical({kind::gpu, 2}).fraction == 0.5);
}
