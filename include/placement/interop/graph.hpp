#pragma once
/// Work that is recorded once and replayed on a GPU with one call: a CUDA graph, or its equivalent
/// on simulated GPUs.
///
///     pl::graph step = pl::capture("/gpu:0", [&] { y = pl::relu(x * w); loss = pl::sum(y); });
///     for (...) { slice(view(x), all) = next; step.replay(); }

#include <placement/device/fork.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/registry.hpp>
#include <placement/error.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/memory/recorder.hpp>
#include <placement/place/scope.hpp>
#include <placement/src/device/device.ipp>

#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// Recorded work of one GPU, from capture(). Replays access the memory that the tensors had during
/// the recording. The graph keeps the memory that its work writes, and the memory that was freed
/// during the recording. Tensors that it only reads must keep their memory. Thread: not safe. No
/// other thread may release the last handle of one of its tensors at the same time.
class graph final : public detail::recorder {
 public:
  graph(graph&& other) noexcept
      : on_(std::exchange(other.on_, nullptr)),
        work_(other.work_),
        buffers_(std::move(other.buffers_)),
        blocks_(std::move(other.blocks_)),
        workspace_(other.workspace_) {}
  graph& operator=(graph other) noexcept {
    std::swap(on_, other.on_);
    std::swap(work_, other.work_);
    buffers_.swap(other.buffers_);
    blocks_.swap(other.blocks_);
    std::swap(workspace_, other.workspace_);
    return *this;
  }
  /// Waits for the GPU, which may still replay. If waiting fails, the memory is deallocated without
  /// it.
  ~graph() {
    if (on_ == nullptr) return;
    if (!detail::lost_by_fork(on_->id)) {
      try {
        on_->owner->synchronise(on_->work);
      } catch (...) {  // its work has failed, and is over
      }
      on_->owner->drop(work_);
    }
    for (detail::buffer* b : buffers_) b->leave_recording();
    for (auto const& [data, size] : blocks_) detail::deallocate_block(on_->id, data, size);
  }

  /// Enqueues the recorded work once more; does not wait for it. Throws: what the platform throws.
  void replay() try {
    detail::throw_if_forked(on_->id);
    for (detail::buffer* b : buffers_) b->await_readers();
    on_->owner->replay(on_->work, work_);
    for (detail::buffer* b : buffers_) b->written();
  } catch (...) { detail::rethrow_as_error(); }
  /// The device that runs the work.
  device where() const noexcept override { return on_->id; }

 private:
  template <class F> friend graph capture(device_request, F&&);

  struct block {
    void* data;
    std::size_t size;
  };

  explicit graph(logical_device const& on) : on_(&on) {}

  void begin() {
    on_->owner->begin_recording(on_->work);
    detail::recorder_here = this;
  }
  void end() {
    detail::recorder_here = nullptr;
    work_ = on_->owner->end_recording(on_->work);
    replay();
  }
  void note(detail::buffer& used) override {
    for (detail::buffer* b : buffers_)
      if (b == &used) return;
    buffers_.push_back(&used);
    used.enter_recording();
  }
  void keep(device, void* data, std::size_t size) override { blocks_.push_back({data, size}); }
  void* workspace(std::size_t bytes) override {
    if (workspace_.size < bytes) {
      blocks_.reserve(blocks_.size() + 1);
      workspace_ = {detail::allocate_block(on_->id, bytes, {"Workspace"}), bytes};
      blocks_.push_back(workspace_);
    }
    return workspace_.data;
  }

  logical_device const* on_;
  recording work_{};
  std::vector<detail::buffer*> buffers_;
  std::vector<block> blocks_;
  block workspace_{};  ///< one of blocks_, or none
};

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_not_capturable(device d) {
  throw placement_error("placement: work of " + to_string(d) +
                        " cannot be recorded: only GPUs have queues to record. Capture on a GPU.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_nested_capture() {
  throw placement_error(
      "placement: this thread is recording work already. End one capture before the next one.");
}
}  // namespace detail

/// Calls f under a device scope of one GPU and records the work that f enqueues. The work runs once
/// before capture() returns; replay() runs it again.
/// f computes tensors on that GPU only and reads none on the host. Other threads must not enqueue
/// work on that GPU meanwhile.
/// Throws: placement_error for a CPU or a missing device, for work of another device and for values
/// that f reads. Exceptions of f pass through, after the work recorded so far has run once.
template <class F> graph capture(device_request where, F&& f) try {
  if (detail::recorder_here != nullptr) detail::throw_nested_capture();
  device d = detail::requested_in(where.requested).local_device();
  if (!d.has_value()) d = gpu0;
  logical_device const& on = logical(d);
  if (on.id.is_cpu()) detail::throw_not_capturable(on.id);
  graph made(on);
  made.begin();
  try {
    with_device const scope(where);
    std::forward<F>(f)();
  } catch (...) {
    made.end();
    throw;
  }
  made.end();
  return made;
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
