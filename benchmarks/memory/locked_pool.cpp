// The traces of suballocator.cpp on a pool in a process that has a second thread. The lock then
// takes two locked instructions. It is a separate program, because a process that ever had two
// threads does not count as single-threaded again.
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
