// gpus: 0 1 2 4
// Device lists and queries on machines with any number of GPUs.
#include <support/gpus.hpp>

#include <placement/device/query.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;

namespace {

/// The results of line(0), line(1), ... for GPU:0, GPU:1, ....
template <class Line> std::vector<std::string> for_each_gpu(Line line) {
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(gpus_of_test()));
  for (int i = 0; i != gpus_of_test(); ++i) all.push_back(line(std::to_string(i)));
  return all;
}

template <class Device> std::vector<std::string> texts_of(std::vector<Device> const& list) {
  std::vector<std::string> all;
  all.reserve(list.size());
  for (Device const& d : list) all.push_back(to_string(d));
  return all;
}

std::string joined(std::vector<std::string> const& lines, std::string const& separator) {
  std::string text;
  for (std::string const& line : lines) text += (text.empty() ? "" : separator) + line;
  return text;
}

std::string physical_gpu(std::string const& i) {
  return "PhysicalDevice(name='/physical_device:GPU:" + i + "', device_type='GPU')";
}
std::string logical_gpu(std::string const& i) {
  return "LogicalDevice(name='/device:GPU:" + i + "', device_type='GPU')";
}

}  // namespace

TEST_CASE("the number of GPUs is one line of user code") {
  std::string const line =
      "Num GPUs Available: " + std::to_string(list_physical_devices("GPU").size());
  CHECK(line == "Num GPUs Available: " + std::to_string(gpus_of_test()));
}

TEST_CASE("the physical list prints names and types, the CPU first") {
  std::vector<std::string> expected = for_each_gpu(physical_gpu);
  CHECK(texts_of(list_physical_devices("GPU")) == expected);
  expected.insert(expected.begin(),
                  "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");
  CHECK(texts_of(list_physical_devices()) == expected);
  CHECK(to_string(list_physical_devices()) == "[" + joined(expected, ", ") + "]");
}

TEST_CASE("the physical list can be filtered by type, in any case") {
  CHECK(to_string(list_physical_devices("CPU")) ==
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]");
  CHECK(list_physical_devices("gpu") == list_physical_devices("GPU"));
  CHECK(list_physical_devices("cpu") == list_physical_devices("CPU"));
}

TEST_CASE("XLA devices and devices of other types are never listed") {
  for (auto type : {"XLA_CPU", "XLA_GPU", "TPU", "no type at all"}) {
    CHECK(list_physical_devices(type).empty());
    CHECK(list_logical_devices(type).empty());
  }
}

TEST_CASE("listing physical devices has no side effect") {
  auto const before = list_physical_devices();
  CHECK_FALSE(is_initialized());
  CHECK(list_physical_devices() == before);
  set_visible_devices({}, "GPU");
  CHECK(list_physical_devices() == before);
  CHECK(list_logical_devices("GPU").empty());
  CHECK(list_physical_devices() == before);
}

TEST_CASE("the logical list has all visible devices, and fixes the configuration") {
  CHECK_FALSE(is_initialized());
  std::vector<std::string> expected = for_each_gpu(logical_gpu);
  CHECK(texts_of(list_logical_devices("GPU")) == expected);
  CHECK(is_initialized());
  expected.insert(expected.begin(), "LogicalDevice(name='/device:CPU:0', device_type='CPU')");
  CHECK(texts_of(list_logical_devices()) == expected);
}

TEST_CASE("a machine holds the device counts that placement needs") {
  CHECK(this_machine() == machine{.cpus = 1, .gpus = gpus_of_test(), .real = false});
  CHECK(is_initialized());
}

TEST_CASE("available devices are listed in short form") {
  auto names = for_each_gpu([](std::string const& i) { return "/GPU:" + i; });
  names.insert(names.begin(), "/CPU:0");
  CHECK(available_devices() == joined(names, ", "));
  CHECK_FALSE(is_initialized());
  CHECK(device_numbering().empty());
}

TEST_CASE("the device mapping is printed for each GPU") {
  auto const lines = [](std::string const& name, std::string const& end) {
    return for_each_gpu([&](std::string const& i) {
      return "/job:localhost/replica:0/task:0/" + name + i + " -> device: " + i +
             ", name: Simulated GPU, pci bus id: 0000:0" + std::to_string(std::stoi(i) + 1) +
             ":00.0" + end;
    });
  };
  if (gpus_of_test() == 0) {
    CHECK(device_mapping() == "Device mapping: no known devices.\n");
    CHECK(device_mapping_tf1() == "Device mapping: no known devices.\n");
  } else {
    CHECK(device_mapping() == "Device mapping:\n" +
                                  joined(lines("device:GPU:", ", compute capability: 7.5"), "\n") +
                                  "\n");
    CHECK(device_mapping_tf1() == "Device mapping:\n" + joined(lines("gpu:", ""), "\n") + "\n");
  }
  CHECK_FALSE(is_initialized());
}

TEST_CASE("queries return the visible devices and do not fix the configuration") {
  int const gpus = gpus_of_test();
  CHECK(is_available() == (gpus > 0));
  CHECK(device_count() == gpus);
  CHECK(device_count(kind::cpu) == 1);
  CHECK(device_count(kind::any) == gpus + 1);
  CHECK(gpu_device_name() == (gpus > 0 ? "/device:GPU:0" : ""));
  CHECK_FALSE(hardware_name(cpu0).empty());
  CHECK(capability(cpu0) == compute_capability{0, 0});
  for (int i = 0; i != gpus; ++i) {
    CHECK(hardware_name({kind::gpu, i}) == "Simulated GPU");
    CHECK(capability({kind::gpu, i}) == compute_capability{7, 5});
    CHECK(properties({kind::gpu, i}).pci_bus_id == "0000:0" + std::to_string(i + 1) + ":00.0");
  }
  CHECK_THROWS_AS(properties({kind::gpu, gpus}), placement_error);
  CHECK_FALSE(is_initialized());
}

TEST_CASE("a program without the CUDA backend says so") {
  CHECK_FALSE(is_built_with_cuda());
  CHECK(cuda_runtime_version() == 0);
  CHECK(cuda_driver_version() == 0);
}

TEST_CASE("a device value can name a device that does not exist, and using it fails") {
  device const missing{kind::gpu, gpus_of_test()};
  CHECK(to_string(missing) == "/GPU:" + std::to_string(gpus_of_test()));
  CHECK_FALSE(exists(missing));
  std::string message;
  try {
    (void)logical(missing);
  } catch (placement_error const& e) { message = e.what(); }
  CHECK(message == "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(gpus_of_test()) +
                       " unknown device; available: " + available_devices());
}

TEST_CASE("each listed device exists and can be looked up") {
  for (auto const& listed : list_logical_devices()) {
    CHECK(exists(listed.id));
    CHECK(logical(listed.id).id == listed.id);
    CHECK(logical(listed.id).owner != nullptr);
    CHECK(logical(listed.id).part_of.id == listed.id);
    CHECK(logical(listed.id).memory_limit == 0);
    CHECK(logical(listed.id).growth);
  }
  CHECK(logical({kind::cpu, any_index}).id == cpu0);
  CHECK(exists({kind::gpu, any_index}) == (gpus_of_test() > 0));
  if (gpus_of_test() > 0) CHECK(logical({kind::gpu, any_index}).id == gpu0);
  CHECK_FALSE(exists({}));
  CHECK_FALSE(exists({kind::cpu, -7}));
  CHECK_THROWS_AS(logical({}), placement_error);
}

TEST_CASE("the current device is that of this thread, and it exists") {
  CHECK(current_device() == device{});
  set_current_device(cpu0);
  CHECK_THROWS_AS(set_current_device({kind::gpu, 17}), placement_error);
  CHECK(current_device() == cpu0);
  CHECK_FALSE(is_initialized());
  set_current_device({});
  CHECK(current_device() == device{});
}
