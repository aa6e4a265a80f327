// The printed forms of device mappings and lists, without any device.
#include <placement/device/query.hpp>
#include <placement/src/device/query.ipp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

TEST_CASE("a line of the device mapping has the format of TensorFlow 2") {
  hardware about;
  about.name = "GeForce RTX 2080 Ti";
  about.pci_bus_id = "0000:02:00.0";
  about.capability_major = 7;
  about.capability_minor = 5;
  CHECK(detail::mapping_line(0, 0, about) ==
        "/job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: GeForce RTX 2080 Ti, "
        "pci bus id: 0000:02:00.0, compute capability: 7.5");
}

TEST_CASE("a line of the TensorFlow 1 device mapping has the format of TensorFlow 1") {
  hardware about;
  about.name = "Tesla K40c";
  about.pci_bus_id = "0000:05:00.0";
  CHECK(detail::mapping_line_tf1(0, 0, about) ==
        "/job:localhost/replica:0/task:0/gpu:0 -> device: 0, name: Tesla K40c, pci bus id: "
        "0000:05:00.0");
}

TEST_CASE("physical devices print as in Python") {
  CHECK(to_string(physical_device{{kind::gpu, 0}}) ==
        "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')");
  CHECK(to_string(std::vector<physical_device>{{{kind::cpu, 0}}, {{kind::gpu, 3}}}) ==
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU'), "
        "PhysicalDevice(name='/physical_device:GPU:3', device_type='GPU')]");
  CHECK(to_string(std::vector<physical_device>{}) == "[]");
}

TEST_CASE("logical devices print as in Python, and have their full name") {
  logical_device d;
  d.id = {kind::gpu, 2};
  CHECK(to_string(d) == "LogicalDevice(name='/device:GPU:2', device_type='GPU')");
  CHECK(d.full_name() == "/job:localhost/replica:0/task:0/device:GPU:2");
  CHECK(to_string(std::vector<logical_device>{d}) ==
        "[LogicalDevice(name='/device:GPU:2', device_type='GPU')]");
}

TEST_CASE("compute capabilities print and compare") {
  CHECK(to_string(compute_capability{9, 0}) == "9.0");
  CHECK(compute_capability{7, 5} < compute_capability{9, 0});
}
