#pragma once
/// GPUs that count as hardware: kernels run there only if a file launches them, which a file of a
/// C++ compiler does not.

#include <placement/device/registry.hpp>
#include <placement/device/simulated.hpp>

#include <cstddef>

class hardware_platform final : public placement::platform {
 public:
  explicit hardware_platform(int count) : inner_({.count = count}) {}

  placement::kind type() const noexcept override { return inner_.type(); }
  bool simulated() const noexcept override { return false; }
  int count() noexcept override { return inner_.count(); }
  placement::hardware describe(int ordinal) override {
    placement::hardware about = inner_.describe(ordinal);
    about.name = "Some GPU";
    return about;
  }
  placement::memory_info memory(int ordinal) noexcept override { return inner_.memory(ordinal); }
  void* reserve(int ordinal, std::size_t bytes) override { return inner_.reserve(ordinal, bytes); }
  void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) override {
    inner_.commit(ordinal, base, offset, bytes);
  }
  void decommit(int ordinal, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    inner_.decommit(ordinal, base, offset, bytes);
  }
  void release(int ordinal, void* base, std::size_t bytes) noexcept override {
    inner_.release(ordinal, base, bytes);
  }
  void retire(int ordinal, void* address, std::size_t bytes) noexcept override {
    inner_.retire(ordinal, address, bytes);
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

 private:
  placement::simulated_platform inner_;
};

/// Registers this many such GPUs, for ever. Call it before anything else.
inline void use_hardware_gpus(int count) {
  placement::register_gpu_platform(*new hardware_platform(count));
}
