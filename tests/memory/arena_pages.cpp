// Regions of host memory: where they begin, and that large ones ask for large pages.
#include <placement/device/cpu.hpp>
#include <placement/device/simulated.hpp>
#include <placement/memory/region.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// The line "VmFlags: ..." of the mapping that holds this address; empty where the system tells
/// none.
std::string flags_at(void const* p) {
  std::FILE* const maps = std::fopen("/proc/self/smaps", "r");
  if (maps == nullptr) return {};
  char line[512];
  bool here = false;
  std::string flags;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0, to = 0;
    if (std::sscanf(line, "%lx-%lx ", &from, &to) == 2)
      here =
          from <= reinterpret_cast<std::uintptr_t>(p) && reinterpret_cast<std::uintptr_t>(p) < to;
    std::string const text(line);
    if (here && text.starts_with("VmFlags:")) flags = text;
  }
  std::fclose(maps);
  return flags;
}

template <class Platform> void check_large_pages(Platform& owner) {
  detail::region r(owner, 0);
  r.reserve(64 * mib);
  CHECK(reinterpret_cast<std::uintptr_t>(r.base()) % (2 * mib) == 0);
  r.extend(4 * mib);
  r.base()[0] = r.base()[4 * mib - 1] = std::byte{1};
  std::string const flags = flags_at(r.base());
  if (flags.empty() || ::access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
    SKIP("this system has no large pages to ask for");
  CHECK(flags.find(" hg") != flags.npos);
}

}  // namespace

TEST_CASE("a large region of the CPU begins at a large page and asks for such") {
  cpu_platform host;
  check_large_pages(host);
}

TEST_CASE("a large region of a simulated GPU begins at a large page and asks for such") {
  simulated_platform gpus({.count = 1});
  check_large_pages(gpus);
}

TEST_CASE("a small region takes no more than it needs") {
  cpu_platform host;
  detail::region r(host, 0);
  r.reserve(1000);
  r.extend(1000);
  r.base()[999] = std::byte{1};
  CHECK(flags_at(r.base()).find(" hg") == std::string::npos);
}

TEST_CASE("a range that no machine has is refused") {
  cpu_platform host;
  for (std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - mib, std::size_t{1} << 60})
    CHECK_THROWS_AS(host.reserve(0, bytes), out_of_memory);
}
