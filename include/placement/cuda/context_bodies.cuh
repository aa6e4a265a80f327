#pragma once
/// Definitions of the functions that find and switch the stream of a GPU.

#include <placement/cuda/context.cuh>
#include <placement/cuda/platform.cuh>
#include <placement/device/registry_bodies.hpp>
#include <placement/memory/blocks_bodies.hpp>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

template <class Once> work_queue& queue_of(logical_device const& on) {
  if (on.id.is_gpu() && !on.owner->simulated()) [[likely]]
    return cuda_platform::queue_of(on.work);
  throw invalid_argument("placement: " + to_string(on.id) +
                         " is no GPU of CUDA's, so it has no stream. Name one of hardware.");
}

template <class Once> stream_switch switch_stream(device on, CUstream_st* theirs) {
  work_queue& queue = queue_of(logical(on));
  return {queue, queue.switch_stream(theirs)};
}
template <class Once> void restore_stream(stream_switch const& t) noexcept {
  t.queue.restore_stream(t.before);
}

}  // namespace detail

template <class Once> CUstream_st* stream_of(logical_device const& on) {
  return detail::queue_of(on).stream();
}

}}}  // namespace placement::v0_1::cuda
