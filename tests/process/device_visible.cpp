// gpus: 4
// env: [filtered] CUDA_VISIBLE_DEVICES=3,1,2
// env: [one_of_four] CUDA_VISIBLE_DEVICES=1,2
// env: [by_uuid] CUDA_VISIBLE_DEVICES=GPU-51000000-0000-0000-0000-000000000002
// env: [none] CUDA_VISIBLE_DEVICES=
// env: [none] CUDA_VISIBLE_DEVICES=-1
// Visible GPUs and their indices, set by the environment and by calls.
#include <placement/device/query.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;

namespace {

/// The mapping of GPU:0, GPU:1, ... to the machine's GPUs.
std::string mapping_to(std::vector<int> const& machine_indexes) {
  std::string text = "Device mapping:\n";
  int index = 0;
  for (int m : machine_indexes)
    text += "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(index++) +
            " -> device: " + std::to_string(m) + ", name: Simulated GPU, pci bus id: 0000:0" +
            std::to_string(m + 1) + ":00.0, compute capability: 7.5\n";
  return text;
}

std::vector<physical_device> gpus(std::vector<int> const& indexes) {
  std::vector<physical_device> list;
  list.reserve(indexes.size());
  for (int i : indexes) list.push_back({{kind::gpu, i}});
  return list;
}

template <class Call> std::string error_message(Call call) {
  try {
    call();
  } catch (error const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("visible GPUs are numbered from 0 in the order of the list") {
  set_visible_devices(gpus({1, 2}), "GPU");
  CHECK(device_mapping() == mapping_to({1, 2}));
  set_visible_devices(gpus({3}), "GPU");
  CHECK(device_mapping() == mapping_to({3}));
  set_visible_devices(gpus({1})[0], "GPU");
  CHECK(device_mapping() == mapping_to({1}));
  set_visible_devices(gpus({2, 0}), "GPU");
  CHECK(device_mapping() == mapping_to({2, 0}));
  CHECK(list_logical_devices("GPU").size() == 2);
  CHECK(logical({kind::gpu, 0}).ordinal == 2);
  CHECK(logical({kind::gpu, 1}).ordinal == 0);
}

TEST_CASE("a list in a string makes the same choice as a list of devices") {
  set_visible_device_list("1,2");
  CHECK(device_mapping() == mapping_to({1, 2}));
  CHECK(visible_devices("GPU") == gpus({1, 2}));
  CHECK(list_logical_devices("GPU").size() == 2);
}

TEST_CASE("CUDA_VISIBLE_DEVICES makes the same choice as a list in code", "[one_of_four]") {
  CHECK(device_mapping() == mapping_to({1, 2}));
  CHECK(list_physical_devices("GPU") == gpus({0, 1}));
  CHECK(list_logical_devices("GPU").size() == 2);
}

TEST_CASE("all GPUs but the first are visible, selected from the physical list") {
  auto chosen = list_physical_devices("GPU");
  chosen.erase(chosen.begin());
  set_visible_devices(chosen, "GPU");
  CHECK(device_mapping() == mapping_to({1, 2, 3}));
}

TEST_CASE("without a type the list replaces the visible GPUs and keeps the CPU") {
  set_visible_devices(gpus({1}));
  CHECK(to_string(visible_devices()) ==
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU'), "
        "PhysicalDevice(name='/physical_device:GPU:1', device_type='GPU')]");
  set_visible_devices(list_physical_devices("CPU"));
  CHECK(visible_devices("GPU").empty());
  CHECK(available_devices() == "/CPU:0");
  set_visible_devices(list_physical_devices("CPU"), "CPU");
  CHECK(visible_devices("GPU").empty());
}

TEST_CASE("after GPUs 1 and 2 are visible /gpu:2 is unknown, and the message lists the devices") {
  set_visible_device_list("1,2");
  CHECK(error_message([] { (void)logical({kind::gpu, 2}); }) ==
        "/job:localhost/replica:0/task:0/device:GPU:2 unknown device; available: /CPU:0, /GPU:0, "
        "/GPU:1 (/GPU:0 is device 1, /GPU:1 is device 2)");
  CHECK(device_numbering() == "/GPU:0 is device 1, /GPU:1 is device 2");
}

TEST_CASE("CUDA_VISIBLE_DEVICES filters first, and a list in code indexes the remaining GPUs",
          "[filtered]") {
  CHECK(list_physical_devices("GPU") == gpus({0, 1, 2}));
  CHECK(device_mapping() == mapping_to({3, 1, 2}));
  set_visible_device_list("2,0");
  CHECK(device_mapping() == mapping_to({2, 3}));
}

TEST_CASE("code cannot undo CUDA_VISIBLE_DEVICES", "[filtered]") {
  CHECK(error_message([] { set_visible_device_list("3"); }) == "Invalid visible device index: 3");
  CHECK(error_message([] { set_visible_devices(gpus({3}), "GPU"); })
            .starts_with("Unrecognized device: "
                         "PhysicalDevice(name='/physical_device:GPU:3', device_type='GPU')"));
  CHECK(device_mapping() == mapping_to({3, 1, 2}));
}

TEST_CASE("CUDA_VISIBLE_DEVICES takes a UUID", "[by_uuid]") {
  CHECK(device_mapping() == mapping_to({2}));
  CHECK(device_numbering() == "/GPU:0 is device 2");
}

TEST_CASE("CUDA_VISIBLE_DEVICES that is empty or -1 hides all GPUs", "[none]") {
  CHECK(list_physical_devices("GPU").empty());
  CHECK(this_machine() == machine{});
  CHECK(device_mapping() == "Device mapping: no known devices.\n");
}

TEST_CASE("an unknown device cannot be visible") {
  CHECK(error_message([] { set_visible_devices(gpus({1, 4}), "GPU"); }) ==
        "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:4', device_type='GPU'); "
        "there are " +
            to_string(list_physical_devices()));
  CHECK(error_message([] {
          set_visible_devices({{{kind::gpu, -1}}});
        }).starts_with("Unrecognized device: "));
  CHECK(error_message([] {
          set_visible_devices({physical_device{}});
        }).starts_with("Unrecognized device: "));
  CHECK(device_mapping() == mapping_to({0, 1, 2, 3}));
}

TEST_CASE("a device of another type than the one given cannot be visible") {
  CHECK(error_message([] { set_visible_devices(list_physical_devices("CPU"), "GPU"); }) ==
        "Unrecognized device: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU') is "
        "not of type GPU");
  CHECK(error_message([] { set_visible_devices({}, "TPU"); }) ==
        "The device type 'TPU' is neither CPU nor GPU");
}

TEST_CASE("an invalid visible device index is an error") {
  CHECK(error_message([] { set_visible_device_list("9"); }) == "Invalid visible device index: 9");
  CHECK(device_mapping() == mapping_to({0, 1, 2, 3}));
}

TEST_CASE("a duplicate visible device is an error that names it") {
  CHECK(error_message([] { set_visible_devices(gpus({1, 2, 1}), "GPU"); }) ==
        "Duplicate visible device: "
        "PhysicalDevice(name='/physical_device:GPU:1', device_type='GPU')");
  CHECK(error_message([] { set_visible_device_list("2,2"); }) ==
        "Visible device list '2,2' contains a duplicate entry: /physical_device:GPU:2");
  CHECK(device_mapping() == mapping_to({0, 1, 2, 3}));
}

TEST_CASE("the CPU cannot be hidden") {
  CHECK(error_message([] { set_visible_devices({}, "CPU"); }) ==
        "The CPU cannot be hidden: constants, variables and ops without a GPU kernel live there");
}

TEST_CASE("visible devices cannot be modified late") {
  set_visible_device_list("1,2");
  (void)list_logical_devices();
  std::string const late = "Visible devices cannot be modified after being initialized";
  CHECK(error_message([] { set_visible_devices(gpus({2, 1}), "GPU"); }) == late);
  CHECK(error_message([] { set_visible_devices({}, "GPU"); }) == late);
  CHECK(error_message([] { set_visible_device_list("0"); }) == late);
  CHECK(error_message([] { set_visible_device_list(""); }) == late);
  CHECK(visible_devices("GPU") == gpus({1, 2}));
}

TEST_CASE("setting the visible devices in force is never an error") {
  set_visible_device_list("1,2");
  (void)list_logical_devices();
  CHECK_NOTHROW(set_visible_device_list("1,2"));
  CHECK_NOTHROW(set_visible_devices(gpus({1, 2}), "GPU"));
  CHECK_NOTHROW(set_visible_devices(gpus({1, 2})));
  CHECK_NOTHROW(set_visible_devices(list_physical_devices("CPU"), "CPU"));
}
