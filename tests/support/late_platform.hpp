#pragma once
/// Simulated GPUs with random latency: each task, however small, waits in its queue for a random
/// time. Code that does not wait for a result reads old bytes.

#include <support/wrapped_platform.hpp>

#include <placement/device/registry.hpp>
#include <placement/device/simulated.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

class late_platform final : public wrapped_platform {
 public:
  explicit late_platform(int count, std::size_t queue_length)
      : late_platform(*new placement::simulated_platform(
            {.count = count, .run_inline_below = 0, .queue_length = queue_length})) {}

  /// The upper limit of the random delay per task, in microseconds.
  std::atomic<unsigned> latest_us{200};

  void copy(placement::queue q, placement::endpoint to, placement::endpoint from,
            std::size_t bytes) override {
    dawdle(q);
    wrapped_platform::copy(q, to, from, bytes);
  }
  void run(placement::queue q, placement::host_work* work) override {
    dawdle(q);
    wrapped_platform::run(q, work);
  }

 private:
  explicit late_platform(placement::platform& inner) : wrapped_platform(inner) {}

  class sleep final : public placement::host_work {
   public:
    explicit sleep(std::uint64_t us) : us_(us) {}
    void run() noexcept override { std::this_thread::sleep_for(std::chrono::microseconds(us_)); }

   private:
    std::uint64_t us_;
  };

  void dawdle(placement::queue q) {
    std::uint64_t z = state_.fetch_add(0x9E3779B97F4A7C15u, std::memory_order_relaxed);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    if (unsigned const max = latest_us; max != 0)
      wrapped_platform::run(q, new sleep((z >> 33) % max));
  }

  std::atomic<std::uint64_t> state_{1};
};

/// Registers `count` such GPUs for the rest of the process. Call it before anything else.
inline late_platform& use_late_gpus(int count, std::size_t queue_length = 1024) {
  auto& gpus = *new late_platform(count, queue_length);
  placement::register_gpu_platform(gpus);
  return gpus;
}
