// Regions of host memory: their base address, which parts are accessible, and that large regions
// request huge pages.
#include <placement/device/cpu.hpp>
#include <placement/device/simulated.hpp>
#include <placement/memory/region.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// The first line of the mapping that contains this address, "from-to rw-p ...", or its line that
/// begins with `field`. Empty if the system does not report mappings.
std::string mapping_at(void const* p, std::string const& field = {}) {
  std::FILE* const maps = std::fopen("/proc/self/smaps", "r");
  if (maps == nullptr) return {};
  char line[512];
  bool here = false;
  std::string found;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0, to = 0;
    bool const first = std::sscanf(line, "%lx-%lx ", &from, &to) == 2;
    if (first)
      here =
          from <= reinterpret_cast<std::uintptr_t>(p) && reinterpret_cast<std::uintptr_t>(p) < to;
    std::string const text(line);
    if (here && (field.empty() ? first : text.starts_with(field))) found = text;
  }
  std::fclose(maps);
  return found;
}
std::string flags_at(void const* p) { return mapping_at(p, "VmFlags:"); }

/// Describes an address: "memory" if it is accessible, "nothing" if it is only reserved.
std::string behind(void const* p) {
  std::string const line = mapping_at(p);
  return line.find(" rw-p ") != line.npos   ? "memory"
         : line.find(" ---p ") != line.npos ? "nothing"
                                            : line;
}

template <class Platform> void check_backing(Platform& owner) {
  detail::region r(owner, 0);
  r.reserve(64 * mib);
  if (mapping_at(r.base()).empty()) SKIP("this system does not tell of its mappings");
  CHECK(behind(r.base()) == "nothing");
  r.extend(8 * mib);
  CHECK(behind(r.base()) == "memory");
  CHECK(behind(r.base() + 8 * mib - 1) == "memory");
  CHECK(behind(r.base() + 8 * mib) == "nothing");
  r.decommit_range(mib, 5 * mib);
  CHECK(behind(r.base() + 2 * mib - 1) == "memory");
  CHECK(behind(r.base() + 2 * mib) == "nothing");
  CHECK(behind(r.base() + 6 * mib - 1) == "nothing");
  CHECK(behind(r.base() + 6 * mib) == "memory");
  CHECK(r.backed() == 4 * mib);
  r.commit_range(3 * mib, mib);
  CHECK(behind(r.base() + 2 * mib) == "memory");
  CHECK(behind(r.base() + 4 * mib) == "nothing");
  r.shrink(mib);
  CHECK(behind(r.base() + mib - 1) == "memory");
  CHECK(behind(r.base() + mib) == "nothing");
  CHECK(r.backed() == mib);
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

TEST_CASE("a region of the CPU is accessible where it is committed, and nowhere else") {
  cpu_platform host;
  check_backing(host);
}

TEST_CASE("a region of a simulated GPU is accessible where it is committed, and nowhere else") {
  simulated_platform gpus({.count = 1});
  check_backing(gpus);
  CHECK(gpus.memory(0).free == gpus.memory(0).total);
}

TEST_CASE("memory that a region releases is no longer resident in the process") {
  cpu_platform host;
  detail::region r(host, 0);
  r.reserve(64 * mib);
  r.extend(32 * mib);
  std::memset(r.base(), 1, 32 * mib);
  std::string const before = mapping_at(r.base(), "Rss:");
  if (before.empty()) SKIP("this system does not tell of its mappings");
  CHECK(std::atol(before.c_str() + 4) >= 32 * 1024);
  r.shrink(0);
  CHECK(std::atol(mapping_at(r.base(), "Rss:").c_str() + 4) == 0);
}

TEST_CASE("a large region of the CPU is aligned to a huge page and requests huge pages") {
  cpu_platform host;
  check_large_pages(host);
}

TEST_CASE("a large region of a simulated GPU is aligned to a huge page and requests huge pages") {
  simulated_platform gpus({.count = 1});
  check_large_pages(gpus);
}

TEST_CASE("a small region does not request huge pages") {
  cpu_platform host;
  detail::region r(host, 0);
  r.reserve(1000);
  r.extend(1000);
  r.base()[999] = std::byte{1};
  CHECK(flags_at(r.base()).find(" hg") == std::string::npos);
}

TEST_CASE("a range beyond the address space is out_of_memory") {
  cpu_platform host;
  for (std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - mib, std::size_t{1} << 60})
    CHECK_THROWS_AS(host.reserve(0, bytes), out_of_memory);
}
