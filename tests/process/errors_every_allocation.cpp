// gpus: 2
// Every host allocation and every platform call fails once, in every kind of operation. Nothing
// leaks, the target is unchanged, and the next operation works.
#include <support/failing_heap.hpp>
#include <support/faulty_platform.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/device/simulated.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

/// The tensors of the scenarios: x is the target; the others are on its device, on the CPU and on
/// the other GPU.
struct world {
  matrix<float> x, here, host, there;
};

struct scenario {
  char const* name;
  void (*run)(world&);
};

scenario const scenarios[] = {
    {"construct from numbers", [](world& w) { w.x = matrix<float>{{9.f, 8.f}, {7.f, 6.f}}; }},
    {"copy and write to the copy",
     [](world& w) {
       matrix<float> copy = w.here;
       copy.data()[0] = 1;
       w.x = copy;
     }},
    {"chain of element-wise ops",
     [](world& w) { w.x = relu(w.here * w.host + w.there) * 2.f + w.here; }},
    {"product with an epilogue",
     [](world& w) { w.x = relu(matmul(w.here + w.there, transpose(w.host)) + 1.f); }},
    {"reduction", [](world& w) { w.x = w.here + sum(w.there * w.host) + sum(w.x, 0); }},
    {"softmax of a product",
     [](world& w) { w.x = softmax(matmul(w.there, w.host)) + softmax(w.here); }},
    {"concatenation", [](world& w) { w.x = concat(0, std::vector{w.here, w.there, w.host}); }},
    {"sum of a list", [](world& w) { w.x = add_n(std::vector{w.there, w.there, w.host}); }},
    {"assignment through a view",
     [](world& w) { slice(view(w.x), range{0, 1}) = slice(w.there, range{1, 2}) * 3.f; }},
    {"assignment through a view of what is shared",
     [](world& w) {
       matrix<float> const shared = w.x;
       view(w.x) = transpose(w.host);
     }},
    {"a part pinned elsewhere",
     [](world& w) { w.x = on("/gpu:0", relu(w.host)) + on("/cpu:0", w.there); }},
    {"an op without a GPU kernel",
     [](world& w) { w.x = relu(next(relu(w.here), {"user.cpp", 1})); }},
    {"copy to another device", [](world& w) { w.x = copy_to("/gpu:0", w.here); }},
    {"read",
     [](world& w) {
       auto const h = w.there.read();
       w.x = from(h.data(), shape(2, 2));
     }},
};

matrix<float> numbers(char const* where) {
  return copy_to(where, matrix<float>{{1.f, -2.f}, {3.f, 4.f}});
}

/// Runs each scenario on each device, with each of its steps failing once. `arm(k)` makes the k-th
/// following step fail. `has_failed()` returns whether it did, and cancels the request.
template <class Arm, class HasFailed> int try_all(Arm arm, HasFailed has_failed) {
  set_log_level(log_level::off);
  int failing = 0;  // scenarios in which something failed
  for (char const* where : {"/cpu:0", "/gpu:1"}) {
    with_device const scope(where);
    world w{numbers(where), numbers(where), numbers("/cpu:0"), numbers("/gpu:0")};
    for (scenario const& s : scenarios) {
      matrix<float> target = numbers(where);
      auto run = [&] {
        w.x = target;
        target = matrix<float>();
        s.run(w);
      };
      run();  // allocates what the process keeps
      std::string const expected = to_string(w.x);
      int failures = 0;
      for (int k = 1;; ++k) {
        REQUIRE(k < 1000);
        w.x = numbers(where);
        w.x.data();
        float const* const at = std::as_const(w.x).data();
        auto const in_use = std::pair(memory_stats_of(gpu0).in_use, memory_stats_of(gpu1).in_use);
        long const alive = failing_heap::alive;
        bool thrown = false;
        arm(k);
        try {
          s.run(w);
        } catch (std::exception const&) { thrown = true; }
        bool const failed = has_failed();
        long const alive_after = failing_heap::alive;  // before Catch2 stores messages
        INFO(s.name << " on " << where << ", failure " << k);
        if (!thrown) {
          CHECK_FALSE(failed);  // no failure is swallowed
          CHECK(to_string(w.x) == expected);
          if (!failed) break;
          continue;
        }
        REQUIRE(failed);
        ++failures;
        CHECK(alive_after == alive);
        CHECK(std::pair(memory_stats_of(gpu0).in_use, memory_stats_of(gpu1).in_use) == in_use);
        CHECK(std::as_const(w.x).data() == at);
        CHECK(to_string(w.x) == "[[1 -2]\n [3 4]]");
        s.run(w);
        CHECK(to_string(w.x) == expected);
      }
      failing += failures > 0;
    }
  }
  return failing;
}

}  // namespace

TEST_CASE("each host allocation fails once in each kind of operation") {
  int const all = 2 * static_cast<int>(std::size(scenarios));
  CHECK(try_all(failing_heap::fail, failing_heap::has_failed) ==
        all - 1);  // one scenario runs in place on a CPU
}

TEST_CASE("an allocation that fails inside a scope leaves the scope unchanged") {
  set_log_level(log_level::off);
  matrix<float> const x = numbers("/cpu:0");
  with_device const outer("/cpu:0");
  try {
    with_device const inner("/gpu:1");
    failing_heap::fail(1);
    matrix<float> const y = x + x;
    FAIL("nothing failed");
  } catch (std::exception const&) {}
  failing_heap::has_failed();
  CHECK(matrix<float>(x + x).where() == cpu0);
}

TEST_CASE("each platform call fails once in each kind of operation") {
  static auto& inner = *new simulated_platform({.count = 2});
  static auto& faulty = *new faulty_platform(inner);
  register_gpu_platform(faulty);
  REQUIRE(this_machine().gpus == 2);
  static int calls_before = 0, k_now = 0;
  int const failing = try_all(
      [](int k) {
        trim();  // makes the next allocation request memory from the device
        calls_before = faulty.calls();
        k_now = k;
        faulty.fail(k);
      },
      [] {
        bool const failed = faulty.calls() - calls_before >= k_now;
        faulty.fail(0);
        return failed;
      });
  CHECK(failing > static_cast<int>(std::size(scenarios)));
}
