#pragma once
/// Kernel launches in the queues of GPUs.

#include <placement/config.hpp>
#include <placement/device/configuration.hpp>
#include <placement/device/platform.hpp>
#include <placement/exec/launch_on.hpp>
#include <placement/src/device/registry.ipp>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Limits the kernels of simulated GPUs that run at a time to inter_op_threads().
class op_gate {
 public:
  /// `max` = 0: no limit.
  explicit op_gate(int max) noexcept : left_(max), open_(max == 0) {}

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
/// Created when the first kernel enters a queue; the configuration is fixed by then.
PLACEMENT_PROCESS_STATE inline op_gate& gate_of_process() {
  static auto* const gate = new op_gate(inter_op_threads());  // workers may outlive main()
  return *gate;
}

/// A copy of a kernel launch in the queue of a simulated GPU.
class queued_launch final : public host_work {
 public:
  /// Throws: std::bad_alloc.
  explicit queued_launch(any_launch const& j) : type_(j.type), copy_(::operator new(j.type.bytes)) {
    try {
      if (type_.keep == nullptr) std::memcpy(copy_, j.kernel_launch, type_.bytes);
      else type_.keep(copy_, j.kernel_launch);
    } catch (...) {
      ::operator delete(copy_);
      throw;
    }
  }
  ~queued_launch() override {
    if (type_.keep != nullptr) type_.keep(copy_, nullptr);
    ::operator delete(copy_);
  }

  void run() noexcept override {
    gate_.enter();
    begin_traced_work_now();
    type_.run(copy_, {.is_parallel = false});
    gate_.leave();
  }
  std::size_t bytes() const noexcept override { return type_.bytes; }

 private:
  launch_type const& type_;
  op_gate& gate_ = gate_of_process();
  void* copy_;  ///< aligned as by operator new, which suffices for all launches
};

PLACEMENT_INLINE void enqueue_launch(device where, std::string_view op, any_launch const& j) {
  if (where.has_task()) return;  // the other task launches it
  logical_device const& on = logical(where);
  if (!on.owner->simulated()) {
    launcher const own_launcher = j.type.own != nullptr ? j.type.own() : j.type.others->peek();
    assert(own_launcher != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    own_launcher(on, j.kernel_launch);
  } else if (j.type.throws) {
    on.owner->synchronise(on.work);
    j.type.run(j.kernel_launch, {.is_parallel = false});
  } else if (on.owner->should_run_inline(on.work, j.cost)) {
    j.type.run(j.kernel_launch, {.is_parallel = false});
  } else {
    on.owner->run(on.work, new queued_launch(j));
  }
  on.owner->launched(on.work, op);
}

}}}  // namespace placement::v0_1::detail
