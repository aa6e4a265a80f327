// gpus: 2
// Failure of each allocation: the call throws, its state is unchanged, and the next call succeeds.
#include <placement/device/device_spec.hpp>
#include <placement/device/query.hpp>
#include <placement/device/simulated.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

using namespace placement;

namespace {

std::size_t allocations_left = 0;  // 0 = no limit

// Called through a pointer: an analyser that sees malloc behind new reports each delete as a
// mismatch.
void* (*const volatile system_allocate)(std::size_t) = std::malloc;

void* allocate(std::size_t bytes) {
  bool const last = allocations_left == 1;
  if (allocations_left != 0) --allocations_left;
  void* const block = last ? nullptr : system_allocate(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

/// Fails the first allocation of a call, then the second, ... until the call succeeds. Calls
/// `check` after each failure. Returns the number of failures.
template <class Call, class Check> int failures_of(Call call, Check check) {
  for (int k = 1;; ++k) {
    allocations_left = static_cast<std::size_t>(k);
    try {
      call();
      allocations_left = 0;
      return k - 1;
    } catch (std::bad_alloc const&) {
      allocations_left = 0;
      check();
    }
  }
}

}  // namespace

// The analyser reports the operator behind a delete as a second delete.
// NOLINTBEGIN(clang-analyzer-cplusplus.NewDelete)
void* operator new(std::size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
// NOLINTEND(clang-analyzer-cplusplus.NewDelete)

TEST_CASE("fixing the devices has the strong guarantee at every allocation") {
  int const failures =
      failures_of([] { freeze_configuration(); }, [] { CHECK_FALSE(is_initialized()); });
  CHECK(failures > 5);
  CHECK(is_initialized());
  CHECK(this_machine().gpus == 2);
}

TEST_CASE("listing and printing have the strong guarantee at every allocation") {
  std::string mapping;
  std::string list;
  CHECK(failures_of(
            [&] {
              mapping = device_mapping();
              list = to_string(list_physical_devices());
            },
            [] { CHECK_FALSE(is_initialized()); }) > 10);
  CHECK(mapping == device_mapping());
  CHECK(list == to_string(list_physical_devices()));
}

TEST_CASE("each setting has the strong guarantee at every allocation") {
  physical_device const gpu_1{{kind::gpu, 1}};
  CHECK(failures_of([] { set_visible_device_list("1"); },
                    [] { CHECK(visible_devices("GPU").size() == 2); }) > 0);
  CHECK(visible_devices("GPU").size() == 1);
  CHECK(failures_of([&] { set_memory_growth(gpu_1, false); },
                    [&] { CHECK(memory_growth(gpu_1)); }) > 0);
  CHECK_FALSE(memory_growth(gpu_1));
  CHECK(failures_of([&] { set_logical_device_configuration(gpu_1, {{1}, {2}}); },
                    [&] { CHECK(logical_device_limits(gpu_1).empty()); }) > 0);
  CHECK(logical_device_limits(gpu_1).size() == 2);
}

TEST_CASE("setting simulated GPUs has the strong guarantee at every allocation") {
  for (int count : {3, 5}) {
    int const before = device_count();
    CHECK(failures_of(
              [count] {
                set_simulated_gpus({.count = count, .name = "a name that needs an allocation"});
              },
              [before] { CHECK(device_count() == before); }) > 0);
    CHECK(device_count() == count);
  }
}

TEST_CASE("interning a name has the strong guarantee at every allocation") {
  device_name const name = parse_name("/job:a_job_with_a_name_that_needs_an_allocation/task:1");
  device_spec made;
  CHECK(failures_of([&] { made = device_spec::of(name); }, [&] { CHECK_FALSE(made.has_value()); }) >
        1);
  CHECK(made.name() == name);
}

TEST_CASE("reserving simulated memory has the strong guarantee at every allocation") {
  simulated_platform gpus({.count = 1});
  void* base = nullptr;
  std::size_t const mib = std::size_t{1} << 20;
  CHECK(failures_of([&] { base = gpus.reserve(0, mib); }, [&] { CHECK(base == nullptr); }) > 1);
  gpus.commit(0, base, 0, mib);
  CHECK(gpus.memory(0).free == 1023 * mib);
  gpus.release(0, base, mib);
}
