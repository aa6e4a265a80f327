#pragma once
/// A platform that forwards every call to another one. Test platforms derive from it and override
/// calls.

#include <placement/device/platform.hpp>

#include <cstddef>
#include <string_view>

class wrapped_platform : public placement::platform {
 public:
  explicit wrapped_platform(placement::platform& inner) : inner_(inner) {}

  placement::kind type() const noexcept override { return inner_.type(); }
  bool simulated() const noexcept override { return inner_.simulated(); }
  int count() noexcept override { return inner_.count(); }
  placement::hardware describe(int ordinal) override { return inner_.describe(ordinal); }
  placement::memory_info memory(int ordinal) noexcept override { return inner_.memory(ordinal); }
  placement::software_versions versions() noexcept override { return inner_.versions(); }
  void* reserve(int ordinal, std::size_t bytes) override { return inner_.reserve(ordinal, bytes); }
  void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) override {
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
  }
  void retire(placement::queue q, void* address, std::size_t bytes) noexcept override {
    inner_.retire(q, address, bytes);
  }
  placement::queue open_queue(int ordinal) override { return inner_.open_queue(ordinal); }
  void close_queue(placement::queue q) noexcept override { inner_.close_queue(q); }
  void copy(placement::queue q, placement::endpoint to, placement::endpoint from,
            std::size_t bytes) override {
    inner_.copy(q, to, from, bytes);
  }
  placement::event record(placement::queue q) override { return inner_.record(q); }
  void wait(placement::queue q, placement::event e) override { inner_.wait(q, e); }
  void synchronise(placement::queue q) override { inner_.synchronise(q); }
  std::size_t queued_bytes(placement::queue q) noexcept override { return inner_.queued_bytes(q); }
  placement::timeline_point current_point(placement::queue q) noexcept override {
    return inner_.current_point(q);
  }
  placement::event record_at(placement::queue q, placement::timeline_point point) override {
    return inner_.record_at(q, point);
  }
  void fetch(placement::queue q, placement::timeline_point complete, void* to,
             placement::endpoint from, std::size_t bytes) override {
    inner_.fetch(q, complete, to, from, bytes);
  }
  void launched(placement::queue q, std::string_view op) override { inner_.launched(q, op); }
  void begin_recording(placement::queue q) override { inner_.begin_recording(q); }
  placement::recording end_recording(placement::queue q) override {
    return inner_.end_recording(q);
  }
  void replay(placement::queue q, placement::recording r) override { inner_.replay(q, r); }
  void drop(placement::recording r) noexcept override { inner_.drop(r); }
  bool should_run_inline(placement::queue q, std::size_t cost) noexcept override {
    return inner_.should_run_inline(q, cost);
  }
  void run(placement::queue q, placement::host_work* work) override { inner_.run(q, work); }

 protected:
  ~wrapped_platform() = default;

 private:
  placement::platform& inner_;
};
