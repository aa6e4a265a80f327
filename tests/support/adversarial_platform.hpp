#pragma once
/// A GPU that runs queued work in a random order: step() picks a queue, and nothing runs before.
/// Work that reuses or decommits memory too early leaves wrong contents, which check() counts. |
/// One word represents each unit of memory, so that committing 2 MiB costs almost nothing.

#include <placement/device/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

class adversarial_platform final : public placement::platform {
 public:
  /// Block sizes are multiples of `unit`.
  adversarial_platform(std::size_t bytes, int queues, std::uint64_t seed, std::size_t unit = 256)
      : unit_(unit),
        memory_(bytes / unit),
        queues_(static_cast<std::size_t>(queues)),
        state_(seed) {}

  /// If true, synchronise() returns at once: a broken driver, or a caller that did not wait.
  bool waits_for_nothing = false;

  placement::queue queue_at(std::size_t i) { return {0, &queues_[i]}; }
  std::uint64_t random() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::size_t random_below(std::size_t n) { return random() % n; }

  /// Queues work: write() fills a block with a value, check() compares the block with one.
  void write(placement::queue q, void* at, std::size_t bytes, std::uint64_t value) {
    work_of(q).push_back({task::write, at, bytes, value, nullptr});
  }
  void check(placement::queue q, void* at, std::size_t bytes, std::uint64_t value) {
    work_of(q).push_back({task::check, at, bytes, value, nullptr});
  }
  /// Runs the next task of a queue that waits for no event. False if there is none.
  bool step() {
    std::size_t const first = random_below(queues_.size());
    for (std::size_t i = 0; i != queues_.size(); ++i)
      if (run_one(queues_[(first + i) % queues_.size()])) return true;
    return false;
  }
  /// Number of tasks that used uncommitted memory or found another value.
  int spoiled() const { return spoiled_; }
  int events() const { return events_; }

  placement::kind type() const noexcept override { return placement::kind::gpu; }
  bool simulated() const noexcept override { return true; }
  int count() noexcept override { return 1; }
  placement::hardware describe(int) override { return {}; }
  placement::memory_info memory(int) noexcept override {
    return {memory_.size() * unit_, memory_.size() * unit_};
  }
  void* reserve(int, std::size_t) override { return base(); }
  void commit(int, void*, std::size_t offset, std::size_t bytes) override {
    for (std::size_t i = offset / unit_; i != (offset + bytes) / unit_; ++i)
      memory_[i] = {.backed = true, .value = ~std::uint64_t{0}};
  }
  /// Decommits at once. Work that still uses the memory counts as spoiled.
  void decommit(int, void*, std::size_t offset, std::size_t bytes) noexcept override {
    for (std::size_t i = offset / unit_; i != (offset + bytes) / unit_; ++i) memory_[i] = {};
  }
  void release(int, void*, std::size_t) noexcept override {}
  void retire(placement::queue, void*, std::size_t) noexcept override {}

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
    while (!waits_for_nothing && !work_of(q).empty() && step()) {}
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
    if (now.kind != task::write && now.kind != task::check) return true;
    auto const first = static_cast<std::size_t>(static_cast<std::byte*>(now.at) - base()) / unit_;
    for (std::size_t i = first; i != first + now.bytes / unit_; ++i) {
      if (!memory_[i].backed || (now.kind == task::check && memory_[i].value != now.value))
        ++spoiled_;
      memory_[i].value = now.value;
    }
    return true;
  }

  /// The state of one unit of memory.
  struct word {
    bool backed = false;
    std::uint64_t value = 0;
  };

  static std::byte* base() { return reinterpret_cast<std::byte*>(std::size_t{1} << 40); }

  std::size_t unit_;
  std::vector<word> memory_;
  std::vector<work_list> queues_;
  std::uint64_t state_;
  int spoiled_ = 0, events_ = 0;
};
