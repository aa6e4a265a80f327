// The worker queue of a simulated GPU: in order, bounded, and fair to threads that wait for space.
#include <placement/device/worker.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

using namespace placement;
using detail::worker;

namespace {

/// A task that calls a function.
template <class F> class task final : public host_work {
 public:
  task(std::size_t bytes, F f) : bytes_(bytes), f_(f) {}
  void run() noexcept override { f_(); }
  std::size_t bytes() const noexcept override { return bytes_; }

 private:
  std::size_t bytes_;
  F f_;
};
template <class F> host_work* work(std::size_t bytes, F f) { return new task<F>(bytes, f); }

template <class F> void await(F f) {
  while (!f()) std::this_thread::yield();
}
/// A task that waits until the flag is set.
host_work* gate(std::atomic<bool> const& open) {
  return work(0, [&open] { await([&] { return open.load(); }); });
}

constexpr std::size_t many = 2000;

}  // namespace

TEST_CASE("tasks run in order") {
  worker w;
  std::vector<int> done;
  for (int i = 0; i != 1000; ++i) w.enqueue(work(0, [&done, i] { done.push_back(i); }));
  w.wait_for_point(w.last_point());
  REQUIRE(done.size() == 1000);
  for (std::size_t i = 0; i != done.size(); ++i) CHECK(done[i] == static_cast<int>(i));
}

TEST_CASE("at most the configured number of tasks wait in the queue") {
  worker w({.count = 4});
  std::size_t max = 0;
  for (std::size_t i = 0; i != many; ++i)
    w.enqueue(work(0, [&] { max = w.count() > max ? w.count() : max; }));
  w.wait_for_point(w.last_point());
  CHECK(w.last_point() == many);
  CHECK(max <= 4);
  CHECK(max > 1);
}

TEST_CASE("waiting tasks hold at most the configured bytes, except for a single larger task") {
  worker w({.bytes = 1000});
  std::size_t max = 0, largest_alone = 0;
  for (std::size_t i = 0; i != many; ++i) {
    std::size_t const size = i % 50 == 0 ? 5000 : 1 + i * 7 % 400;
    w.enqueue(work(size, [&, size] {
      std::size_t& seen = size == 5000 ? largest_alone : max;
      seen = w.bytes() > seen ? w.bytes() : seen;
    }));
  }
  w.wait_for_point(w.last_point());
  CHECK(w.bytes() == 0);
  CHECK(max <= 1000);
  CHECK(max > 400);
  CHECK(largest_alone == 5000);
}

TEST_CASE("a limit of zero still admits one task") {
  worker w({.count = 0, .bytes = 0});
  std::size_t done = 0;
  for (int i = 0; i != 100; ++i) w.enqueue(work(8, [&] { done += w.count(); }));
  w.wait_for_point(w.last_point());
  CHECK(done == 100);
}

TEST_CASE("blocked threads are admitted in the order of their calls") {
  worker w({.count = 2});
  std::atomic<bool> open{false};
  w.enqueue(gate(open));
  w.enqueue(gate(open));
  std::vector<int> done;
  std::vector<std::thread> threads;
  for (int i = 0; i != 8; ++i) {
    threads.emplace_back([&, i] { w.enqueue(work(0, [&done, i] { done.push_back(i); })); });
    await([&] { return w.blocked() == static_cast<std::size_t>(i) + 1; });
  }
  open = true;
  for (auto& each : threads) each.join();
  w.wait_for_point(w.last_point());
  CHECK(done == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("a thread that enqueues in a loop does not starve another one") {
  constexpr std::size_t capacity = 64;
  worker w({.count = capacity});
  std::atomic<bool> open{false}, ends{false};
  std::size_t launched = 0, before_reader = 0;
  w.enqueue(gate(open));
  std::thread launcher([&] {
    while (!ends) w.enqueue(work(0, [&] { ++launched; }));
  });
  await([&] { return w.blocked() == 1; });
  std::thread reader([&] {
    w.enqueue(work(0, [&] { before_reader = launched; }));
    w.wait_for_point(w.last_point());
    ends = true;
  });
  await([&] { return w.blocked() == 2; });
  open = true;
  reader.join();
  launcher.join();
  w.wait_for_point(w.last_point());
  CHECK(before_reader == capacity);  // the tasks in the queue, and the one blocked before it
}

TEST_CASE("append never blocks, so that a caller can hold a lock") {
  worker w({.count = 2, .bytes = 10});
  std::atomic<bool> open{false};
  w.enqueue(gate(open));
  for (int i = 0; i != 100; ++i) w.append(work(100, [] {}));
  CHECK(w.count() == 101);
  CHECK(w.bytes() == 10'000);
  open = true;
  w.wait_for_point(w.last_point());
  CHECK(w.bytes() == 0);
}

TEST_CASE("a task can enqueue more work although its own queue is full") {
  worker w({.count = 2});
  int done = 0;
  w.enqueue(work(0, [&] {
    for (int i = 0; i != 10; ++i) w.enqueue(work(0, [&] { ++done; }));
  }));
  w.wait_for_point(1);
  w.wait_for_point(w.last_point());
  CHECK(done == 10);
}

TEST_CASE("full queues that wait for each other do not deadlock") {
  worker a({.count = 3}), b({.count = 3});
  int done = 0;
  for (int i = 0; i != 500; ++i) {
    timeline_point const of_a = a.last_point();
    b.append(work(0, [&, of_a] { a.wait_for_point(of_a); }));
    b.enqueue(work(0, [&] { ++done; }));
    timeline_point const of_b = b.last_point();
    a.append(work(0, [&, of_b] { b.wait_for_point(of_b); }));
    a.enqueue(work(0, [&] { ++done; }));
  }
  a.wait_for_point(a.last_point());
  b.wait_for_point(b.last_point());
  CHECK(done == 1000);
}

TEST_CASE("a stopped queue starts again") {
  worker w({.count = 2});
  int done = 0;
  for (int round = 0; round != 3; ++round) {
    for (int i = 0; i != 10; ++i) w.enqueue(work(0, [&] { ++done; }));
    w.stop();
    CHECK(done == 10 * (round + 1));
    CHECK(w.idle());
  }
}
