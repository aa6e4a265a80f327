#pragma once
/// Definitions of the functions that find and switch the stream of a GPU.

#include <placement/config.hpp>
#include <placement/cuda/context.cuh>
#include <placement/cuda/platform.cuh>
#include <placement/device/logical_device.hpp>
#include <placement/device/registry.hpp>
#include <placement/memory/blocks.hpp>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

PLACEMENT_INLINE work_queue& queue_of(logical_device const& on) {
  if (on.id.is_gpu() && !on.owner->simulated()) [[likely]]
    return cuda_platform::queue_of(on.work);
  throw invalid_argument("placement: " + to_string(on.id) +
                         " is no GPU of CUDA's, so it has no stream. Name one of hardware.");
}

PLACEMENT_INLINE stream_switch switch_stream(device on, CUstream_st* theirs) {
  work_queue& queue = queue_of(logical(on));
  return {queue, queue.switch_stream(theirs)};
}
PLACEMENT_INLINE void restore_stream(stream_switch const& t) noexcept {
  t.queue.restore_stream(t.before);
}

}  // namespace detail

PLACEMENT_INLINE CUstream_st* stream_of(logical_device const& on) {
  return detail::queue_of(on).stream();
}

}}}  // namespace placement::v0_1::cuda
