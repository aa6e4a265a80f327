#pragma once
/// Jobs in the queues of GPUs.

#include <placement/device/configuration_bodies.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/kernels/start.hpp>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstring>

namespace placement::inline v0_1::detail {

/// How many kernels of simulated GPUs run at a time: no more than inter_op_threads().
class op_gate {
 public:
  /// `most` is 0: any number.
  explicit op_gate(int most) noexcept : left_(most), open_(most == 0) {}

  void enter() noexcept {
    if (open_) return;
    for (int left = left_.load(std::memory_order_acquire);;) {
      if (left == 0) {
        left_.wait(0, std::memory_order_acquire);
        left = left_.load(std::memory_order_acquire);
      } else if (left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire)) {
        return;
      }
    }
  }
  void leave() noexcept {
    if (open_) return;
    left_.fetch_add(1, std::memory_order_release);
    left_.notify_one();
  }

 private:
  std::atomic<int> left_;
  bool const open_;
};
/// Made when the first kernel waits in a queue: by then the number is fixed.
PLACEMENT_PROCESS_STATE inline op_gate& gate_of_process() {
  static auto* const gate = new op_gate(inter_op_threads());  // workers may outlive main()
  return *gate;
}

/// A copy of a job in the queue of a simulated GPU.
class queued_job final : public host_work {
 public:
  /// Throws: std::bad_alloc.
  explicit queued_job(any_job const& j) : type_(j.type), copy_(::operator new(j.type.bytes)) {
    try {
      if (type_.keep == nullptr) std::memcpy(copy_, j.job, type_.bytes);
      else type_.keep(copy_, j.job);
    } catch (...) {
      ::operator delete(copy_);
      throw;
    }
  }
  ~queued_job() override {
    if (type_.keep != nullptr) type_.keep(copy_, nullptr);
    ::operator delete(copy_);
  }

  void run() noexcept override {
    gate_.enter();
    type_.run(copy_, {.shares = false});
    gate_.leave();
  }
  std::size_t bytes() const noexcept override { return type_.bytes; }

 private:
  job_type const& type_;
  op_gate& gate_ = gate_of_process();
  void* copy_;  ///< aligned as new does: no job asks for more
};

template <class Once> void start_in_queue(device where, std::string_view op, any_job const& j) {
  logical_device const& on = logical(where);
  if (!on.owner->simulated()) {
    launcher const launch = j.type.own != nullptr ? j.type.own() : j.type.others->peek();
    assert(launch != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    launch(on, j.job);
  } else if (j.type.throws) {
    on.owner->synchronise(on.work);
    j.type.run(j.job, {.shares = false});
  } else if (on.owner->at_once(on.work, j.steps)) {
    j.type.run(j.job, {.shares = false});
  } else {
    on.owner->run(on.work, new queued_job(j));
  }
  on.owner->launched(on.work, op);
}

}  // namespace placement::inline v0_1::detail
