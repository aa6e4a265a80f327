#pragma once
/// A GPU that works as late and in as odd an order as its queues allow: nothing runs before step()
/// picks a queue at random. Who reuses memory too early finds other bytes in it.

#include <placement/device/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

class adversarial_platform final : public placement::platform {
 public:
  adversarial_platform(std::size_t bytes, int queues, std::uint64_t seed)
      : memory_(bytes), queues_(static_cast<std::size_t>(queues)), state_(seed) {}

  placement::queue queue_at(std::size_t i) { return {0, &queues_[i]}; }
  std::uint64_t random() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::size_t random_below(std::size_t n) { return static_cast<std::size_t>(random() % n); }

  /// Queues the work of filling a block with a value, or of looking whether it still has it.
  void write(placement::queue q, void* at, std::size_t bytes, std::uint64_t value) {
    work_of(q).push_back({task::write, at, bytes, value, nullptr});
  }
  void check(placement::queue q, void* at, std::size_t bytes, std::uint64_t value) {
    work_of(q).push_back({task::check, at, bytes, value, nullptr});
  }
  /// Runs one piece of a queue that is not held; false if there is none.
  bool step() {
    std::size_t const first = random_below(queues_.size());
    for (std::size_t i = 0; i != queues_.size(); ++i)
      if (run_one(queues_[(first + i) % queues_.size()])) return true;
    return false;
  }
  /// Checks that found other bytes.
  int spoiled() const { return spoiled_; }
  int events() const { return events_; }

  placement::kind type() const noexcept override { return placement::kind::gpu; }
  bool simulated() const noexcept override { return true; }
  int count() noexcept override { return 1; }
  placement::hardware describe(int) override { return {}; }
  placement::memory_info memory(int) noexcept override { return {memory_.size(), memory_.size()}; }
  void* reserve(int, std::size_t) override { return memory_.data(); }
  void commit(int, void*, std::size_t, std::size_t) override {}
  /// Memory that is given back is gone at once: work that still uses it is spoiled.
  void decommit(int, void*, std::size_t offset, std::size_t bytes) noexcept override {
    std::memset(memory_.data() + offset, 0xFF, bytes);
  }
  void release(int, void*, std::size_t) noexcept override {}
  void retire(int, void*, std::size_t) noexcept override {}

  placement::queue open_queue(int) override { return queue_at(0); }
  void close_queue(placement::queue) noexcept override {}
  void copy(placement::queue, placement::endpoint, placement::endpoint, std::size_t) override {}
  placement::event record(placement::queue q) override {
    ++events_;
    auto* const passed = new flag(std::make_shared<bool>(false));
    work_of(q).push_back({task::mark, nullptr, 0, 0, *passed});
    return {passed};
  }
  void wait(placement::queue q, placement::event e) override {
    auto* const awaited = static_cast<flag*>(e.handle);
    work_of(q).push_back({task::hold, nullptr, 0, 0, *awaited});
    delete awaited;
  }
  void synchronise(placement::queue q) override {
    while (!work_of(q).empty() && step()) {}
  }

 private:
  enum class task { write, check, mark, hold };
  using flag = std::shared_ptr<bool>;
  struct work {
    task kind;
    void* at;
    std::size_t bytes;
    std::uint64_t value;
    flag passed;
  };
  using work_list = std::deque<work>;

  static work_list& work_of(placement::queue q) { return *static_cast<work_list*>(q.handle); }

  bool run_one(work_list& q) {
    if (q.empty() || (q.front().kind == task::hold && !*q.front().passed)) return false;
    work const now = q.front();
    q.pop_front();
    if (now.kind == task::mark) *now.passed = true;
    auto* const words = static_cast<std::uint64_t*>(now.at);
    for (std::size_t i = 0; i < now.bytes / sizeof(std::uint64_t); i += 16) {  // two a granule
      if (now.kind == task::write) words[i] = now.value;
      else if (now.kind == task::check && words[i] != now.value) ++spoiled_;
    }
    return true;
  }

  std::vector<std::byte> memory_;
  std::vector<work_list> queues_;
  std::uint64_t state_;
  int spoiled_ = 0, events_ = 0;
};
