// The platforms of the library: the CPU and simulated GPUs.
#include <placement/device/cpu.hpp>
#include <placement/device/simulated.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::byte* bytes_at(void* base, std::size_t offset) {
  return static_cast<std::byte*>(base) + offset;
}

float float_at(void* base, std::size_t offset) {
  float value = 0;
  std::memcpy(&value, bytes_at(base, offset), sizeof value);
  return value;
}

std::string message_of_commit(platform& p, void* base, std::size_t offset, std::size_t bytes) {
  try {
    p.commit(0, base, offset, bytes);
  } catch (out_of_memory const& e) { return e.what(); }
  return {};
}

}  // namespace

TEST_CASE("simulated GPUs are labelled, each with its own PCI id and UUID") {
  simulated_platform gpus({.count = 3});
  CHECK(gpus.count() == 3);
  CHECK(gpus.type() == kind::gpu);
  CHECK(gpus.simulated());
  hardware const first = gpus.describe(0), third = gpus.describe(2);
  CHECK(first.name == "Simulated GPU");
  CHECK(first.pci_bus_id == "0000:01:00.0");
  CHECK(third.pci_bus_id == "0000:03:00.0");
  CHECK(first.uuid == "GPU-51000000-0000-0000-0000-000000000000");
  CHECK(third.uuid == "GPU-51000000-0000-0000-0000-000000000002");
  CHECK(first.capability_major == 7);
  CHECK(first.capability_minor == 5);
  CHECK(third.machine_index == 2);
  CHECK(simulated_platform({.count = 64}).describe(63).pci_bus_id == "0000:40:00.0");
}

TEST_CASE("the description of a simulated GPU always says that it is simulated") {
  simulated_platform gpus(
      {.count = 1, .name = "Tesla K40c", .capability_major = 3, .capability_minor = 5});
  CHECK(gpus.describe(0).name == "Simulated GPU (Tesla K40c)");
  CHECK(gpus.describe(0).capability_major == 3);
}

TEST_CASE("a simulated GPU has 1 GiB by default") {
  simulated_platform gpus({.count = 1});
  CHECK(gpus.memory(0).total == 1024 * mib);
  CHECK(gpus.memory(0).free == 1024 * mib);
}

TEST_CASE("each simulated GPU counts its own memory, and memory held by others is not free") {
  simulated_platform gpus({.count = 2, .memory_bytes = 8 * mib, .held_bytes = 3 * mib});
  CHECK(gpus.memory(0).free == 5 * mib);
  void* const base = gpus.reserve(0, 64 * mib);
  CHECK(gpus.memory(0).free == 5 * mib);
  gpus.commit(0, base, 0, 2 * mib);
  CHECK(gpus.memory(0).free == 3 * mib);
  CHECK(gpus.memory(1).free == 5 * mib);
  gpus.commit(0, base, mib, 2 * mib);  // half of the range is already committed
  CHECK(gpus.memory(0).free == 2 * mib);
  gpus.decommit(0, base, 0, mib);
  CHECK(gpus.memory(0).free == 3 * mib);
  gpus.release(0, base, 64 * mib);
  CHECK(gpus.memory(0).free == 5 * mib);
  CHECK(gpus.memory(0).total == 8 * mib);
}

TEST_CASE("a full simulated GPU throws out_of_memory, and its state is unchanged") {
  simulated_platform gpus({.count = 1, .memory_bytes = 4 * mib, .held_bytes = mib});
  void* const base = gpus.reserve(0, 8 * mib);
  gpus.commit(0, base, 0, mib);
  std::memset(base, 7, mib);
  CHECK(message_of_commit(gpus, base, mib, 3 * mib) ==
        "Out of memory on simulated GPU 0: asked for 3145728 bytes; 2097152 of 4194304 are free");
  CHECK(gpus.memory(0).free == 2 * mib);
  CHECK(bytes_at(base, mib - 1)[0] == std::byte{7});
  gpus.commit(0, base, mib, 2 * mib);
  CHECK(gpus.memory(0).free == 0);
  gpus.release(0, base, 8 * mib);
}

TEST_CASE("a GPU of which others hold more than its total has no free memory") {
  simulated_platform gpus({.count = 1, .memory_bytes = mib, .held_bytes = 2 * mib});
  CHECK(gpus.memory(0).free == 0);
  void* const base = gpus.reserve(0, mib);
  CHECK_THROWS_AS(gpus.commit(0, base, 0, 1), out_of_memory);
  gpus.release(0, base, mib);
}

TEST_CASE("uninitialised and released memory of a simulated GPU reads as NaN") {
  simulated_platform gpus({.count = 1});
  void* const base = gpus.reserve(0, mib);
  gpus.commit(0, base, 0, mib);
  gpus.first_use(0, base, 0, mib);
  CHECK(std::isnan(float_at(base, 0)));
  CHECK(std::isnan(float_at(base, mib - sizeof(float))));
  std::memset(base, 0, mib);
  queue const work = gpus.open_queue(0);
  gpus.commit(0, base, 0, mib);  // already committed: nothing is overwritten
  CHECK(float_at(base, 0) == 0.0f);
  gpus.retire(work, bytes_at(base, 1024), 256);
  CHECK(float_at(base, 1020) == 0.0f);
  CHECK(std::isnan(float_at(base, 1024)));
  CHECK(std::isnan(float_at(base, 1276)));
  CHECK(float_at(base, 1280) == 0.0f);
  gpus.decommit(0, base, 0, mib);
  gpus.commit(0, base, 0, mib);
  gpus.first_use(0, base, 0, 4);
  CHECK(std::isnan(float_at(base, 0)));
  CHECK(float_at(base, 4) == 0.0f);
  gpus.release(0, base, mib);
}

TEST_CASE("the memory held by others can differ between simulated GPUs") {
  simulated_platform gpus({.count = 4,
                           .memory_bytes = 8 * mib,
                           .held_bytes = mib,
                           .held_bytes_of = {0, 8 * mib, 3 * mib}});
  CHECK(gpus.memory(0).free == 8 * mib);
  CHECK(gpus.memory(1).free == 0);
  CHECK(gpus.memory(2).free == 5 * mib);
  CHECK(gpus.memory(3).free == 7 * mib);
}

TEST_CASE("a reservation beyond the address space is out_of_memory") {
  simulated_platform gpus({.count = 1});
  CHECK_THROWS_AS(gpus.reserve(0, std::size_t{1} << 62), out_of_memory);
  cpu_platform cpu;
  CHECK_THROWS_AS(cpu.reserve(0, std::size_t{1} << 62), out_of_memory);
}

TEST_CASE("simulated GPUs can be used from several threads") {
  simulated_platform gpus({.count = 2, .memory_bytes = 64 * mib});
  std::vector<std::thread> running;
  for (int t = 0; t != 8; ++t)
    running.emplace_back([&gpus, t] {
      for (int i = 0; i != 50; ++i) {
        void* const base = gpus.reserve(t % 2, mib);
        gpus.commit(t % 2, base, 0, 65536);
        gpus.release(t % 2, base, mib);
      }
    });
  for (auto& each : running) each.join();
  CHECK(gpus.memory(0).free == 64 * mib);
  CHECK(gpus.memory(1).free == 64 * mib);
}

TEST_CASE("the CPU is one device with a name and memory") {
  cpu_platform cpu;
  CHECK(cpu.count() == 1);
  CHECK(cpu.type() == kind::cpu);
  CHECK_FALSE(cpu.simulated());
  CHECK_FALSE(cpu.describe(0).name.empty());
  CHECK(cpu.describe(0).pci_bus_id.empty());
  CHECK(cpu.memory(0).total >= cpu.memory(0).free);
  CHECK(cpu.memory(0).free > 0);
  void* const base = cpu.reserve(0, mib);
  cpu.commit(0, base, 4096, 8192);
  std::memset(bytes_at(base, 4096), 1, 8192);
  cpu.decommit(0, base, 4096, 8192);
  cpu.commit(0, base, 0, mib);
  CHECK(bytes_at(base, 4096)[0] == std::byte{0});
  cpu.retire({}, base, mib);
  cpu.release(0, base, mib);
}

TEST_CASE("the name of the processor is found if the machine provides it") {
  CHECK(detail::processor_name("processor\t: 0\nmodel name\t: Fast CPU @ 3GHz\nflags\t: fpu\n") ==
        "Fast CPU @ 3GHz");
  CHECK(detail::processor_name("model name\t: Last line") == "Last line");
  CHECK(detail::processor_name("CPU implementer\t: 0x41\n") == "CPU");
  CHECK(detail::processor_name("model name") == "CPU");
  CHECK(detail::processor_name("") == "CPU");
  CHECK(detail::file_start("/a file that does not exist").empty());
}

TEST_CASE("a copy moves bytes between any two endpoints") {
  simulated_platform gpus({.count = 2});
  void* const base = gpus.reserve(1, mib);
  gpus.commit(1, base, 0, mib);
  queue const work = gpus.open_queue(1);
  CHECK(work.ordinal == 1);
  int const from[] = {1, 2, 3};
  int to[] = {0, 0, 0};
  gpus.copy(work, {base, 1}, {const_cast<int*>(from)}, sizeof from);
  gpus.wait(work, gpus.record(work));
  gpus.copy(work, {to}, {base, 1}, sizeof to);
  gpus.copy(work, {nullptr}, {nullptr}, 0);
  gpus.synchronise(work);
  CHECK((to[0] == 1 && to[1] == 2 && to[2] == 3));
  gpus.close_queue(work);
  gpus.release(1, base, mib);

  cpu_platform cpu;
  queue const host = cpu.open_queue(0);
  int again[] = {0, 0, 0};
  cpu.copy(host, {again}, {to}, sizeof to);
  cpu.wait(host, cpu.record(host));
  cpu.synchronise(host);
  cpu.close_queue(host);
  CHECK(again[2] == 3);
}
