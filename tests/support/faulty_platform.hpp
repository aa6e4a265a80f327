#pragma once
/// A platform that forwards each call to another one, fails on request, and counts calls.

#include <placement/device/platform.hpp>
#include <placement/error.hpp>
#include <placement/runtime/lock.hpp>

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

/// The calls that can fail.
enum class call { describe, reserve, commit, open_queue, copy, record, wait, synchronise };
inline constexpr int call_kinds = 8;

/// Fails the k-th call of any kind, or of one kind, once. With `delay_copies` a copy runs only when
/// its queue is synchronised or a later event is waited for. Code that does not wait reads old
/// bytes. | Counts open queues and other resources, so that a test can detect leaks.
class faulty_platform final : public placement::platform {
 public:
  explicit faulty_platform(placement::platform& inner) : inner_(inner) {}

  /// Makes the k-th following call fail. k counts from 1; 0 disables the failure.
  void fail(int k) {
    placement::lock_guard guard(lock_);
    any_left_ = k;
  }
  /// Makes the k-th following call of this kind fail.
  void fail(call c, int k) {
    placement::lock_guard guard(lock_);
    left_[static_cast<int>(c)] = k;
  }
  void delay_copies(bool on) { delay_ = on; }

  /// The number of calls, of all kinds or of one.
  int calls() const {
    placement::lock_guard guard(lock_);
    int sum = 0;
    for (int n : made_) sum += n;
    return sum;
  }
  int calls(call c) const {
    placement::lock_guard guard(lock_);
    return made_[static_cast<int>(c)];
  }

  int open_ranges() const { return open_ranges_; }
  int open_queues() const { return open_queues_; }
  int open_events() const { return open_events_; }

  placement::kind type() const noexcept override { return inner_.type(); }
  bool simulated() const noexcept override { return inner_.simulated(); }
  int count() noexcept override { return inner_.count(); }
  placement::memory_info memory(int ordinal) noexcept override { return inner_.memory(ordinal); }
  placement::software_versions versions() noexcept override { return inner_.versions(); }

  placement::hardware describe(int ordinal) override {
    step(call::describe);
    return inner_.describe(ordinal);
  }
  void* reserve(int ordinal, std::size_t bytes) override {
    step(call::reserve);
    void* const base = inner_.reserve(ordinal, bytes);
    ++open_ranges_;
    return base;
  }
  void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) override {
    step(call::commit);
    inner_.commit(ordinal, base, offset, bytes);
  }
  void first_use(int ordinal, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    inner_.first_use(ordinal, base, offset, bytes);
  }
  void decommit(int ordinal, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    inner_.decommit(ordinal, base, offset, bytes);
  }
  void release(int ordinal, void* base, std::size_t bytes) noexcept override {
    inner_.release(ordinal, base, bytes);
    --open_ranges_;
  }
  void retire(placement::queue q, void* address, std::size_t bytes) noexcept override {
    inner_.retire(q, address, bytes);
  }

  placement::queue open_queue(int ordinal) override {
    step(call::open_queue);
    placement::queue const opened = inner_.open_queue(ordinal);
    ++open_queues_;
    return opened;
  }
  void close_queue(placement::queue q) noexcept override {
    run_delayed(q);
    inner_.close_queue(q);
    --open_queues_;
  }
  void copy(placement::queue q, placement::endpoint to, placement::endpoint from,
            std::size_t bytes) override {
    step(call::copy);
    if (delay_) {
      placement::lock_guard guard(lock_);
      delayed_.push_back({q, to, from, bytes});
    } else {
      inner_.copy(q, to, from, bytes);
    }
  }
  placement::event record(placement::queue q) override {
    step(call::record);
    placement::event const passed{new marker{q, inner_.record(q)}};
    ++open_events_;
    return passed;
  }
  void wait(placement::queue q, placement::event e) override {
    auto* const kept = static_cast<marker*>(e.handle);
    marker const passed = *kept;
    delete kept;
    --open_events_;
    try {
      step(call::wait);
    } catch (...) {
      inner_.wait(q, passed.inner);  // the inner platform frees the event
      throw;
    }
    run_delayed(passed.recorded_in);
    inner_.wait(q, passed.inner);
  }
  void synchronise(placement::queue q) override {
    step(call::synchronise);
    run_delayed(q);
    inner_.synchronise(q);
  }
  placement::timeline_point current_point(placement::queue q) noexcept override {
    return inner_.current_point(q);
  }
  placement::event record_at(placement::queue q, placement::timeline_point) override {
    return record(q);
  }
  void fetch(placement::queue q, placement::timeline_point complete, void* to,
             placement::endpoint from, std::size_t bytes) override {
    step(call::copy);
    step(call::synchronise);
    run_delayed(q);
    inner_.fetch(q, complete, to, from, bytes);
  }
  bool should_run_inline(placement::queue q, std::size_t cost) noexcept override {
    return !delay_ && inner_.should_run_inline(q, cost);
  }
  void run(placement::queue q, placement::host_work* work) override {
    run_delayed(q);
    inner_.run(q, work);
  }

 private:
  struct marker {
    placement::queue recorded_in{};
    placement::event inner{};
  };
  struct delayed_copy {
    placement::queue in;
    placement::endpoint to, from;
    std::size_t bytes;
  };

  /// Counts a call, and throws if the call is the one to fail.
  void step(call c) {
    placement::lock_guard guard(lock_);
    auto const kind = static_cast<int>(c);
    ++made_[kind];
    bool const turn = any_left_ == 1 || left_[kind] == 1;
    if (any_left_ != 0) --any_left_;
    if (left_[kind] != 0) --left_[kind];
    if (!turn) return;
    if (c == call::reserve || c == call::commit)
      throw placement::out_of_memory("faulty platform: no memory");
    throw placement::placement_error("faulty platform: call failed");
  }

  void run_delayed(placement::queue q) {
    placement::lock_guard guard(lock_);
    std::vector<delayed_copy> others;
    for (delayed_copy const& each : delayed_) {
      if (each.in.ordinal == q.ordinal && each.in.handle == q.handle)
        inner_.copy(each.in, each.to, each.from, each.bytes);
      else others.push_back(each);
    }
    delayed_ = others;
  }

  placement::platform& inner_;
  mutable placement::lock lock_;
  int any_left_ = 0;
  int left_[call_kinds] = {};
  int made_[call_kinds] = {};
  bool delay_ = false;
  std::vector<delayed_copy> delayed_;
  std::atomic<int> open_ranges_{0}, open_queues_{0}, open_events_{0};
};
