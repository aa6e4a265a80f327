// Devices as values and as types.
#include <placement/device/machine.hpp>
#include <placement/device/tag.hpp>

#include <catch2/catch_test_macros.hpp>

#include <concepts>

using namespace placement;
using namespace placement::literals;

TEST_CASE("a literal and a tag have the same type") {
  STATIC_CHECK(std::same_as<decltype("/gpu:1"_dev), dev<kind::gpu, 1>>);
  STATIC_CHECK(std::same_as<decltype("/device:CPU:0"_dev), dev<kind::cpu, 0>>);
  STATIC_CHECK(std::same_as<decltype("/device:GPU:*"_dev), dev<kind::gpu, any_index>>);
  STATIC_CHECK(
      std::same_as<decltype("/job:localhost/task:0/replica:0/gpu:2"_dev), dev<kind::gpu, 2>>);
}

TEST_CASE("a tag is a device") {
  device const d = gpu<3>;
  CHECK(d == device{kind::gpu, 3});
  CHECK(cpu<0> == cpu0);
  CHECK_FALSE(device(any_device::value).has_value());
}

TEST_CASE("devices print in the short form") {
  CHECK(to_string(device{kind::gpu, 1}) == "/GPU:1");
  CHECK(to_string(device{kind::cpu, any_index}) == "/CPU:*");
  CHECK(to_string(device{}).empty());
}

TEST_CASE("a machine has as many devices as it counts") {
  constexpr machine m{.cpus = 2, .gpus = 1};
  STATIC_CHECK(m.has(cpu0));
  STATIC_CHECK(m.has({kind::cpu, 1}));
  STATIC_CHECK(m.has(gpu0));
  STATIC_CHECK(m.has({kind::gpu, any_index}));
  STATIC_CHECK(!m.has({kind::cpu, 2}));
  STATIC_CHECK(!m.has({kind::gpu, 1}));
  STATIC_CHECK(!m.has({kind::gpu, -2}));
  STATIC_CHECK(!m.has({}));
  STATIC_CHECK(!machine{}.has({kind::gpu, any_index}));
}
