// The check of a device: its errors on platforms that fail or compute wrong values.
#include <report.hpp>

#include <support/wrapped_platform.hpp>

#include <placement/device/simulated.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

using namespace placement;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What goes wrong on the GPU.
enum class fault { none, throws, flips_a_bit, reads_nan };

class faulty_gpu final : public wrapped_platform {
 public:
  faulty_gpu() : wrapped_platform(*new simulated_platform({.count = 1})) {}

  void copy(queue q, endpoint to, endpoint from, std::size_t bytes) override {
    if (kind_of_fault == fault::throws) throw placement_error("the copy failed");
    wrapped_platform::copy(q, to, from, bytes);
    spoil(to);
  }
  void fetch(queue q, timeline_point complete, void* to, endpoint from,
             std::size_t bytes) override {
    wrapped_platform::fetch(q, complete, to, from, bytes);
    spoil({to, endpoint::host});
  }
  fault kind_of_fault = fault::none;

 private:
  void spoil(endpoint to) const {
    if (to.ordinal != endpoint::host) return;
    auto* const first = static_cast<float*>(to.address);
    if (kind_of_fault == fault::flips_a_bit) first[5] += 1;
    if (kind_of_fault == fault::reads_nan) first[0] = __builtin_nanf("");
  }
};

/// Never destroyed, because the registry keeps platforms for the rest of the process.
faulty_gpu& gpu_with(fault f) {
  static auto& gpu = *new faulty_gpu;
  gpu.kind_of_fault = f;
  register_gpu_platform(gpu);
  return gpu;
}

}  // namespace

TEST_CASE("a device that computes passes three checks") {
  gpu_with(fault::none);
  for (device const d : {cpu0, gpu0}) {
    auto const checks = check_device(d);
    REQUIRE(checks.size() == 3);
    CHECK(checks[0].op == "element-wise");
    CHECK(checks[1].op == "reduction");
    CHECK(checks[2].op == "product");
    for (op_check const& c : checks) {
      CHECK(c.error.empty());
      CHECK(c.milliseconds > 0);
    }
  }
}

TEST_CASE("an exception of a device becomes the error of its checks") {
  gpu_with(fault::throws);
  auto const checks = check_device(gpu0);
  REQUIRE(checks.size() == 3);
  for (op_check const& c : checks) CHECK_THAT(c.error, ContainsSubstring("the copy failed"));
}

TEST_CASE("one wrong element is found and named") {
  gpu_with(fault::flips_a_bit);
  for (op_check const& c : check_device(gpu0))
    CHECK_THAT(c.error, ContainsSubstring("element 5 is ") && ContainsSubstring(", not "));
}

TEST_CASE("an element that is not a number is wrong") {
  gpu_with(fault::reads_nan);
  for (op_check const& c : check_device(gpu0))
    CHECK_THAT(c.error, ContainsSubstring("element 0 is nan"));
}

TEST_CASE("a device that does not exist does not pass on another one") {
  gpu_with(fault::none);
  for (op_check const& c : check_device(gpu7))
    CHECK_THAT(c.error, ContainsSubstring("no such device"));
}

TEST_CASE("without devices, or with an error, not every device computes") {
  info_report report;
  CHECK_FALSE(report.every_device_computes());
  report.devices.emplace_back().checks = {{"product", {}, 1}};
  CHECK(report.every_device_computes());
  report.devices_error = "the driver is too old";
  CHECK_FALSE(report.every_device_computes());
  report.devices_error.clear();
  report.devices[0].error = "lost";
  CHECK_FALSE(report.every_device_computes());
  report.devices[0].error.clear();
  report.devices[0].checks[0].error = "element 0 is nan, not 1";
  CHECK_FALSE(report.every_device_computes());
  report.devices[0].checks.clear();
  CHECK_FALSE(report.every_device_computes());
}

TEST_CASE("text of others is escaped in JSON and in text") {
  info_report report;
  report.known_variables.push_back({"PLACEMENT_TRACE", "a\"b\n\xff", {}});
  CHECK_THAT(to_json(report), ContainsSubstring(R"("value": "a\"b\u000a\ufffd")"));
  CHECK_THAT(to_text(report), ContainsSubstring(R"('a"b\n\xff')"));
}
