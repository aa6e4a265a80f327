// Invalid deallocations: each is detected in every build, and changes nothing.
#include <placement/interop/pmr.hpp>
#include <placement/memory/pool.hpp>
#include <placement/memory/pools.hpp>

#include <support/address_only_platform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr call_site product{"MatMul", "train.cpp", 40};

std::vector<wrong_free> handled;

/// Records the arguments of the handler during its lifetime.
struct noting_handler {
  wrong_free_handler before =
      set_wrong_free_handler([](wrong_free const& w) noexcept { handled.push_back(w); });
  noting_handler() {
    handled.clear();
    handled.reserve(100);
  }
  ~noting_handler() { set_wrong_free_handler(before); }
};

/// A GPU and its pool.
struct one_gpu {
  address_only_platform gpu{64 * mib};
  logical_device about;
  pool memory;

  explicit one_gpu(bool stream_ordered = false) : memory(describe(stream_ordered)) {}
  logical_device const& describe(bool stream_ordered) {
    about.id = gpu0;
    about.owner = &gpu;
    about.memory_limit = 64 * mib;
    about.stream_ordered = stream_ordered;
    return about;
  }
};

std::string text_at(void const* p) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

}  // namespace

TEST_CASE("a wrong free is detected, described, and changes nothing") {
  noting_handler const handler;
  one_gpu g;
  auto* const a = static_cast<std::byte*>(g.memory.allocate(4096, product));
  auto* const b = static_cast<std::byte*>(g.memory.allocate(1000));
  g.memory.deallocate(b, 1000);
  memory_stats const before = g.memory.stats();
  std::byte elsewhere{};

  struct row {
    char const* name;
    void* address;
    std::size_t size;
    free_fault fault;
    void* block;
    std::size_t block_size;
  };
  row const rows[] = {
      {"twice", b, 1000, free_fault::free_already, nullptr, 0},
      {"in free memory", b + 512, 256, free_fault::free_already, nullptr, 0},
      {"inside of a block", a + 1024, 256, free_fault::inside_a_block, a, 4096},
      {"between granules", a + 1, 4096, free_fault::inside_a_block, a, 4096},
      {"too small", a, 3840, free_fault::other_size, a, 4096},
      {"too large", a, 4097, free_fault::other_size, a, 4096},
      {"of nothing", a, 0, free_fault::other_size, a, 4096},
      {"before the region", a - 1, 256, free_fault::unknown_address, nullptr, 0},
      {"behind what is reserved", a + 2 * mib, 256, free_fault::unknown_address, nullptr, 0},
      {"of the stack", &elsewhere, 1, free_fault::unknown_address, nullptr, 0},
  };
  for (row const& r : rows) {
    INFO(r.name);
    handled.clear();
    g.memory.deallocate(r.address, r.size);
    REQUIRE(handled.size() == 1);
    wrong_free const& w = handled.front();
    CHECK(w.fault == r.fault);
    CHECK(w.where == gpu0);
    CHECK(w.address == r.address);
    CHECK(w.size == r.size);
    CHECK(w.block == r.block);
    CHECK(w.block_size == r.block_size);
    CHECK((w.allocated_by == product) == (r.block != nullptr));
    CHECK(g.memory.stats() == before);
    CHECK(g.memory.check_invariants());
  }
  handled.clear();
  g.memory.deallocate(a, 4096);
  CHECK(handled.empty());
  CHECK(g.memory.stats().in_use == 0);
}

TEST_CASE("freeing null is no error, and does nothing") {
  noting_handler const handler;
  one_gpu g;
  g.memory.deallocate(nullptr, 0);
  void* const a = g.memory.allocate(1);
  g.memory.deallocate(nullptr, 256);
  CHECK(g.memory.stats().in_use == 256);
  g.memory.deallocate(a, 1);
  CHECK(handled.empty());
}

TEST_CASE("a block of another pool is not freed, and the error names its pool") {
  noting_handler const handler;
  void* const a = pool_of(gpu1).allocate(4096, product);
  pool_of(gpu0).deallocate(a, 4096);
  pool_of(cpu0).deallocate(a, 4096);
  REQUIRE(handled.size() == 2);
  for (wrong_free const& w : handled) {
    CHECK(w.fault == free_fault::other_pool);
    CHECK(w.owner == gpu1);
    CHECK(w.block == a);
  }
  CHECK(to_string(handled[0]) ==
        "placement: pool /GPU:0: deallocate of 4096 B at " + text_at(a) +
            ": it belongs to the pool of /GPU:1, in a block of 4096 B at " + text_at(a) +
            ", allocated by MatMul at train.cpp:40. Free it there.");
  CHECK(memory_stats_of(gpu1).in_use == 4096);
  pool_of(gpu1).deallocate(a, 4096);
  CHECK(memory_stats_of(gpu1).in_use == 0);
  CHECK(handled.size() == 2);
}

TEST_CASE("blocks of the platform's own allocator are checked, too") {
  noting_handler const handler;
  simulated_platform gpus({.count = 1});
  logical_device d;
  d.id = gpu0;
  d.owner = &gpus;
  d.work = gpus.open_queue(0);
  d.stream_ordered = true;
  pool p(d);
  void* const a = p.allocate(1000, product);
  p.deallocate(a, 2000);
  REQUIRE(handled.size() == 1);
  CHECK(handled[0].fault == free_fault::other_size);
  CHECK(handled[0].block_size == 1024);
  p.deallocate(a, 1000);
  p.deallocate(a, 1000);
  REQUIRE(handled.size() == 2);
  CHECK(handled[1].fault == free_fault::unknown_address);
  CHECK(p.stats().in_use == 0);
}

TEST_CASE("deallocations by containers are checked") {
  noting_handler const handler;
  arena_resource arena(std::pmr::new_delete_resource(), {.start = {4096}});
  std::pmr::memory_resource& memory = arena;
  void* const a = memory.allocate(512, 16);
  memory.deallocate(a, 1024, 16);
  REQUIRE(handled.size() == 1);
  CHECK(handled[0].fault == free_fault::other_size);
  CHECK(to_string(handled[0]) == "placement: arena_resource: deallocate of 1024 B at " +
                                     text_at(a) + ": there is a block of 512 B at " + text_at(a) +
                                     ". Give the size that was allocated.");
  memory.deallocate(a, 512, 16);
  CHECK(handled.size() == 1);
  memory.deallocate(a, 512, 16);
  REQUIRE(handled.size() == 2);
  CHECK(handled[1].fault == free_fault::free_already);
  int elsewhere = 0;
  memory.deallocate(&elsewhere, 512, 16);
  REQUIRE(handled.size() == 3);
  CHECK(handled[2].fault == free_fault::unknown_address);
  CHECK(arena.stats().in_use == 0);
}

TEST_CASE("used_by of an address that is no block is an error") {
  one_gpu g;
  auto* const a = static_cast<std::byte*>(g.memory.allocate(4096));
  CHECK_THROWS_AS(g.memory.used_by(a + 256, {}), invalid_argument);
  CHECK_NOTHROW(g.memory.used_by(a, {}));
}

TEST_CASE("without a handler a wrong free aborts the program with one line") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  one_gpu g;
  void* const a = g.memory.allocate(1000);
  g.memory.deallocate(a, 1000);
  pid_t const child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch2's handler would write a report
    ::dup2(ends[1], 2);
    g.memory.deallocate(a, 1000);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char part[256];
  for (ssize_t n = 0; (n = ::read(ends[0], part, sizeof part)) > 0;)
    said.append(part, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(said == "placement: pool /GPU:0: deallocate of 1000 B at " + text_at(a) +
                    ": this memory is free already. Free a block once.\n");
}
