// The library's executor: each chunk of each run is executed once, by any thread.
#include <placement/runtime/thread_pool.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <pthread.h>

using namespace placement;
using detail::thread_pool;

namespace {

/// Counts the executions of each chunk in non-atomic variables. The thread sanitizer detects a
/// chunk that two threads execute, and a run() that returns before all chunks are done.
class counted_parts {
 public:
  static void one(void* self, int number) noexcept {
    ++static_cast<counted_parts*>(self)->done_[static_cast<std::size_t>(number)];
  }
  /// Runs `chunks` chunks. Returns how many were not executed exactly once.
  int run(executor& by, int chunks) {
    done_.assign(static_cast<std::size_t>(chunks), 0);
    by.run(chunks, one, this);
    return static_cast<int>(chunks - std::count(done_.begin(), done_.end(), 1));
  }

 private:
  std::vector<int> done_;
};

/// A pool that is never destroyed, as in a program: its threads are never joined.
thread_pool& pool_of(int threads) {
  static auto& all = *new std::vector<thread_pool*>;
  return *all.emplace_back(new thread_pool(threads));
}

/// The number of wrong chunks in consecutive runs of varying size.
int wrong_parts(executor& by, int rounds) {
  counted_parts chunks;
  int wrong = 0;
  for (int i = 0; i != rounds; ++i) {
    int const many = 4 * by.threads();  // of element-wise loops; products request fewer
    wrong += chunks.run(by, i % 2 == 0 ? 2 : i % 5 == 0 ? many + 3 : many);
  }
  return wrong;
}

/// Runs inside the chunks of a run.
struct nested_rounds {
  executor& by;
  std::atomic<int> wrong{0}, at_work{0}, max{0};

  static void one(void* self, int) noexcept {
    auto& all = *static_cast<nested_rounds*>(self);
    int const now = ++all.at_work;
    for (int max = all.max; now > max && !all.max.compare_exchange_weak(max, now);) {}
    counted_parts inner;
    all.wrong += inner.run(all.by, 7);
    --all.at_work;
  }
};

/// Two chunks: the caller's chunk waits until a worker has begun the other, which is slow.
struct slow_part {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> begun{false};
  bool done = false;

  static void one(void* self, int) noexcept {
    auto& all = *static_cast<slow_part*>(self);
    if (std::this_thread::get_id() == all.caller) {
      while (!all.begun) std::this_thread::yield();
    } else {
      all.begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      all.done = true;
    }
  }
};

/// During its lifetime no thread can be started, because the default stack size is too large.
class no_new_threads {
 public:
  no_new_threads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    ::pthread_attr_init(&huge);
    ::pthread_attr_setstacksize(&huge, std::size_t{1} << 46);
    ::pthread_setattr_default_np(&huge);
    ::pthread_attr_destroy(&huge);
  }
  ~no_new_threads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  no_new_threads(no_new_threads const&) = delete;
  no_new_threads& operator=(no_new_threads const&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace

TEST_CASE("each chunk is executed once when runs of different sizes follow each other at once") {
  for (int threads : {2, 3, 8}) {
    INFO(threads << " threads");
    CHECK(wrong_parts(pool_of(threads), 300'000) == 0);
  }
}

TEST_CASE("run() returns after its slowest chunk") {
  slow_part chunks;
  pool_of(2).run(2, slow_part::one, &chunks);
  CHECK(chunks.done);
}

TEST_CASE("a run inside a chunk is executed by the thread of the chunk") {
  thread_pool& pool = pool_of(3);
  nested_rounds all{pool};
  for (int i = 0; i != 300; ++i) pool.run(12, nested_rounds::one, &all);
  CHECK(all.wrong == 0);
  CHECK(all.max <= 3);
}

TEST_CASE("several threads can call run() on one pool at the same time") {
  thread_pool& pool = pool_of(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t != 4; ++t) callers.emplace_back([&] { wrong += wrong_parts(pool, 10'000); });
  for (auto& each : callers) each.join();
  CHECK(wrong == 0);
}

TEST_CASE("if no thread can be started the caller executes all chunks") {
  thread_pool& pool = pool_of(4);
  no_new_threads const none;
  CHECK(wrong_parts(pool, 100) == 0);
}

TEST_CASE("a run of one chunk, or of none, needs no thread") {
  counted_parts chunks;
  CHECK(chunks.run(pool_of(4), 0) == 0);
  CHECK(chunks.run(pool_of(4), 1) == 0);
  CHECK(wrong_parts(pool_of(1), 100) == 0);
}
