#pragma once
/// Recorded work of one stream that is launched many times: a CUDA graph.

#include <placement/cuda/cuda_device.cuh>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace cuda {

/// A CUDA graph and the pinned host memory that its copies read at each launch. Thread: not safe.
class recorded_work {
 public:
  explicit recorded_work(cuda_device& owner) noexcept : owner_(owner) {}
  /// Requires that no stream still runs the graph.
  ~recorded_work() {
    if (instance_ != nullptr) owner_.try_call(owner_.api().destroy_instance, instance_);
    if (graph_ != nullptr) owner_.try_call(owner_.api().destroy_graph, graph_);
    for (void* p : pinned_) owner_.try_call(owner_.api().free_pinned, p);
  }
  recorded_work(recorded_work const&) = delete;
  recorded_work& operator=(recorded_work const&) = delete;

  /// Copies the bytes to pinned memory that lives as long as the recording.
  /// Throws: placement_error, std::bad_alloc.
  void* keep(void const* from, std::size_t bytes) {
    pinned_.reserve(pinned_.size() + 1);
    void* made = nullptr;
    owner_.call(owner_.api().allocate_pinned, &made, bytes,
                static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE));
    std::memcpy(made, from, bytes);
    pinned_.push_back(made);
    return pinned_.back();
  }

  /// Starts the capture of the stream. The relaxed mode lets other threads allocate meanwhile.
  void begin(CUstream work) {
    owner_.call(owner_.api().begin_capture, work, CU_STREAM_CAPTURE_MODE_RELAXED);
  }
  /// Throws: placement_error with the error that invalidated the capture.
  void end(CUstream work) {
    owner_.call(owner_.api().end_capture, work, &graph_);
    owner_.call(owner_.api().instantiate_graph, &instance_, graph_, 0ull);
  }
  void replay(CUstream work) { owner_.call(owner_.api().launch_graph, instance_, work); }

 private:
  cuda_device& owner_;
  CUgraph graph_ = nullptr;
  CUgraphExec instance_ = nullptr;
  std::vector<void*> pinned_;
};

}}}  // namespace placement::v0_1::cuda
