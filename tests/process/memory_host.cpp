// gpus: 0 1
// Large tensors on the CPU come from its pool: huge pages, reuse, and reports.
#include <placement/memory/report.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

void skip_under_the_address_sanitizer() {
  if (detail::buffer::large != mib) SKIP("the address sanitizer wants all tensors from the heap");
}
/// A tensor of this many floats on the CPU.
vector<float> filled(index_t count) {
  with_device const scope("/cpu:0");
  return vector<float>(ones<float>(count));
}

}  // namespace

TEST_CASE("a tensor of 1 MiB comes from the CPU's pool, a smaller one does not") {
  skip_under_the_address_sanitizer();
  freeze_configuration();
  vector<float> const small = filled(mib / sizeof(float) - 1);
  CHECK(memory_stats_of(cpu0).in_use == 0);
  {
    vector<float> const large = filled(mib / sizeof(float) + 1);
    CHECK(memory_stats_of(cpu0).in_use == mib + 256);
    CHECK(memory_stats_of(cpu0).allocations == 1);
    CHECK(large.read()(mib / sizeof(float)) == 1.f);
    vector<float> shared = large;
    CHECK(memory_stats_of(cpu0).allocations == 1);
    shared.data()[0] = 2.f;
    CHECK(memory_stats_of(cpu0).in_use == 2 * (mib + 256));
    CHECK(large.read()(0) == 1.f);
  }
  CHECK(memory_stats_of(cpu0).in_use == 0);
  CHECK(pool_of(cpu0).check_invariants());
}

TEST_CASE("the report names the call sites of large tensors on the CPU") {
  skip_under_the_address_sanitizer();
  freeze_configuration();
  vector<float> const a = filled(3 * mib), b = filled(mib);
  std::string const report = memory_report(cpu0);
  CHECK(report.find("/CPU:0 (growth): in use 16.0 MiB in 2 blocks") == 0);
  CHECK(report.find("16.0 MiB in 2 blocks: ") != report.npos);
  CHECK(report.find("memory_host.cpp:") != report.npos);
}

TEST_CASE("memory of a large tensor is reused for the next one, and trim releases it") {
  skip_under_the_address_sanitizer();
  freeze_configuration();
  float const* const first = [] {
    vector<float> const a = filled(4 * mib);
    return a.data();
  }();
  {
    vector<float> const b = filled(4 * mib);
    CHECK(b.data() == first);
  }
  CHECK(memory_stats_of(cpu0).reserved == 16 * mib);
  CHECK(trim(cpu0) == 16 * mib);
  CHECK(memory_stats_of(cpu0).reserved == 0);
  CHECK(filled(4 * mib).read()(0) == 1.f);
}

TEST_CASE("a large tensor has the alignment of all tensors") {
  freeze_configuration();
  CHECK(reinterpret_cast<std::uintptr_t>(filled(mib + 1).data()) % 64 == 0);
}

TEST_CASE("heap tensors are aligned to 1024 bytes, so page offsets are equal or many lines apart") {
  skip_under_the_address_sanitizer();
  freeze_configuration();
  std::vector<vector<float>> all;
  for (index_t n : {1024, 1024, 1030, 2048, 5000, 32768, 32768, 100000}) all.push_back(filled(n));
  for (vector<float> const& v : all)
    CHECK(reinterpret_cast<std::uintptr_t>(std::as_const(v).data()) % 1024 == 0);
}

TEST_CASE("allocating a large buffer alone does not fix the devices") {
  detail::buffer_ref const b{detail::buffer::make(cpu0, 2 * mib)};
  CHECK_FALSE(is_initialized());
}

TEST_CASE("if the pool cannot reserve addresses, large tensors come from the heap") {
  skip_under_the_address_sanitizer();
  freeze_configuration();
  rlimit const little{std::size_t{1} << 30, std::size_t{1} << 30};
  if (memory_stats_of(cpu0).limit < little.rlim_cur || ::setrlimit(RLIMIT_AS, &little) != 0)
    SKIP("this machine has too little memory to run out of addresses");
  vector<float> const a = filled(4 * mib);
  CHECK(a.read()(4 * mib - 1) == 1.f);
  CHECK(memory_stats_of(cpu0).in_use == 0);
}

TEST_CASE("a tensor beyond the host's memory is out_of_memory, and a smaller one succeeds") {
  freeze_configuration();
  CHECK_THROWS_AS(filled(index_t{1} << 50), out_of_memory);
  CHECK(filled(4 * mib).read()(0) == 1.f);
}

TEST_CASE("a child that is forked while other threads allocate can allocate") {
  freeze_configuration();
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) detail::buffer_ref const b{detail::buffer::make(cpu0, 2 * mib)};
  });
  int failures = 0;
  for (int i = 0; i != 100; ++i) {
    pid_t const child = ::fork();
    if (child == 0) {
      ::alarm(20);  // ends a child that waits for a thread of the parent
      detail::buffer_ref const b{detail::buffer::make(cpu0, 2 * mib)};
      ::_exit(0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    failures += status != 0;
  }
  done = true;
  other.join();
  CHECK(failures == 0);
}
