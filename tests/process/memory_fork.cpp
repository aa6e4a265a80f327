// gpus: 1
// After fork() a child cannot use a GPU that the parent used: it gets an error and does not hang.
// It can use the CPU.
#include <placement/memory/allocation_log.hpp>
#include <placement/memory/pool.hpp>
#include <placement/memory/pools.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

/// Runs f in a child process. Returns its exit status, the result of f.
template <class F> int in_child(F f) {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(f());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/// 1 if f throws exactly this error.
template <class F> int is_refused(F f) {
  try {
    f();
  } catch (placement_error const& e) {
    return std::string(e.what()) ==
                   "placement: /GPU:0 cannot be used here: this process was forked from one that used "
                   "a GPU, and GPUs do not survive fork(). Fork before the first op, or start a new "
                   "program with exec."
               ? 1
               : 2;
  }
  return 3;
}

/// The number of lines of a file that contain a word.
std::size_t lines_of(char const* path, std::string const& word) {
  std::FILE* const file = std::fopen(path, "r");
  REQUIRE(file != nullptr);
  std::size_t count = 0;
  char line[512];
  while (std::fgets(line, sizeof(line), file) != nullptr)
    count += std::string(line).find(word) != std::string::npos;
  std::fclose(file);
  return count;
}

}  // namespace

TEST_CASE("a child cannot make a tensor on the parent's GPU") {
  tensor const a = evaluate(zeros<float>(3));
  REQUIRE(a.where() == gpu0);
  CHECK(in_child([] { return is_refused([] { evaluate(zeros<float>(3)); }); }) == 1);
  CHECK(in_child([&] { return is_refused([&] { evaluate(a + 1.f); }); }) == 1);
}

TEST_CASE("a child cannot write or read a tensor on the parent's GPU") {
  tensor a = evaluate(zeros<float>(3));
  CHECK(in_child([&] { return is_refused([&] { a = a + 1.f; }); }) == 1);
  CHECK(in_child([&] { return is_refused([&] { static_cast<void>(a.read()); }); }) == 1);
  CHECK(in_child([&] { return is_refused([&] { static_cast<void>(copy_to(cpu0, a)); }); }) == 1);
  CHECK(in_child([] { return is_refused([] { trim(gpu0); }); }) == 1);
}

TEST_CASE("a child can work on the CPU, and destroy tensors of the parent") {
  auto a = evaluate(zeros<float>(3));
  CHECK(in_child([&] {
          with_device const scope("/cpu:0");
          tensor const b = evaluate(ones<float>(2));
          a = {};
          return b.read()(1) == 1.f ? 0 : 1;
        }) == 0);
  CHECK(memory_stats_of(gpu0).allocations == 1);
}

TEST_CASE("the parent can use the GPU after a fork") {
  tensor const a = evaluate(ones<float>(3));
  CHECK(in_child([] { return 0; }) == 0);
  CHECK(tensor(a + 1.f).read()(2) == 2.f);
}

TEST_CASE("a child that is forked before the first op has its own GPU") {
  CHECK(in_child([] {
          tensor const a = evaluate(ones<float>(3));
          return a.where() == gpu0 && a.read()(0) == 1.f ? 0 : 1;
        }) == 0);
  CHECK_FALSE(is_initialized());
}

TEST_CASE("a child that calls exit ends normally") {
  tensor const a = evaluate(zeros<float>(3));
  pid_t const child = ::fork();
  if (child == 0) std::exit(0);
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a child that got the error for the parent's GPU ends normally") {
  tensor const a = evaluate(zeros<float>(3));
  pid_t const child = ::fork();
  if (child == 0) std::exit(is_refused([] { evaluate(zeros<float>(3)); }));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("a child of a process with worker threads has threads of its own") {
  set_intra_op_threads(2);
  with_device const scope(cpu<0>);
  auto const a = evaluate(iota(1'200'000, 0.f));
  auto const total = [&] { return evaluate(sum(a * a)).read()(); };
  float const expected = total();
  CHECK(in_child([&] { return total() == expected ? 0 : 1; }) == 0);
}

TEST_CASE("children of a process with an allocation log end, and do not write to the log") {
  constexpr char const* path = "allocation_log_of_a_parent.csv";
  pool& host = pool_of(cpu0);
  std::atomic<bool> ends{false};
  std::size_t allocated = 0;
  constexpr int children = 60;
  int ended = 0;
  {
    allocation_log const log(path);
    std::thread at_work([&] {
      for (; !ends; ++allocated) host.deallocate(host.allocate(4096, {"Parent"}), 4096);
    });
    for (int i = 0; i != children; ++i) {
      pid_t const child = ::fork();
      if (child == 0) {
        ::alarm(30);  // ends a child that hangs
        host.deallocate(host.allocate(512, {"Child"}), 512);
        std::exit(0);
      }
      int status = 1;
      ::waitpid(child, &status, 0);
      ended += status == 0;
    }
    ends = true;
    at_work.join();
  }
  CHECK(ended == children);
  CHECK(lines_of(path, "thread,time") == 1);
  CHECK(lines_of(path, "allocate,/CPU:0,Parent") == allocated);
  CHECK(lines_of(path, "Child") == 0);
  std::remove(path);
}

TEST_CASE("a child can end the log of its parent's scope, and create one of its own") {
  constexpr char const* path = "allocation_log_of_a_child.csv";
  {
    allocation_log const parents("allocation_log_of_another_parent.csv");
    CHECK(in_child([&] {
            pool& host = pool_of(cpu0);
            allocation_log const own(path);
            host.deallocate(host.allocate(512, {"Child"}), 512);
            parents.~allocation_log();  // as at the end of its block
            host.deallocate(host.allocate(512, {"Child"}), 512);
            return 0;
          }) == 0);
    CHECK(detail::has_memory_observer());
  }
  CHECK_FALSE(detail::has_memory_observer());
  CHECK(lines_of("allocation_log_of_another_parent.csv", "Child") == 0);
  CHECK(lines_of(path, "allocate,/CPU:0,Child") == 2);
  std::remove(path);
  std::remove("allocation_log_of_another_parent.csv");
}
