// The small mutex of the library.
#include <placement/runtime/lock.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>
#include <vector>

using namespace placement;

TEST_CASE("a lock lets one thread in at a time") {
  constexpr int threads = 8, rounds = 5000;
  lock guard;
  int count = 0;  // not atomic: the lock protects it
  {
    std::vector<std::thread> running;
    for (int t = 0; t != threads; ++t)
      running.emplace_back([&guard, &count] {
        for (int i = 0; i != rounds; ++i) {
          lock_guard held(guard);
          ++count;
        }
      });
    for (auto& each : running) each.join();
  }
  CHECK(count == threads * rounds);
}

TEST_CASE("a lock is released when an exception leaves its scope") {
  lock guard;
  auto const throw_inside = [&guard] {
    lock_guard held(guard);
    throw 1;
  };
  CHECK_THROWS_AS(throw_inside(), int);
  CHECK_THROWS_AS(throw_inside(), int);
}
