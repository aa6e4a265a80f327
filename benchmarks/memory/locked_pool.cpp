// The traces of suballocator.cpp on a pool in a process that has a second thread: the lock is one
// then, taken and left by two locked instructions. A program of its own, because a process that
// ever had two threads is not taken for one with a single one again.
#include <memory/replay.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

namespace {

void locked_pool(benchmark::State& state) {
  std::atomic<bool> done{false};
  std::thread other([&] { done.wait(false); });
  traces::replay_on_a_pool(state);
  done = true;
  done.notify_one();
  other.join();
}

}  // namespace

BENCHMARK(locked_pool)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
