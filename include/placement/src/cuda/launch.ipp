#pragma once
/// Kernel launches on the stream of the device.

#include <placement/config.hpp>
#include <placement/cuda/launch.cuh>
#include <placement/gpu/tile.hpp>
#include <placement/src/cuda/check.ipp>

namespace placement { inline namespace v0_1 { namespace cuda {

PLACEMENT_INLINE void launch_kernel(launch const& l, logical_device const& on,
                                    std::string_view op) {
  CUstream_st* const stream = stream_of(on);
  void* arguments[] = {const_cast<void*>(l.argument)};
  if (::cudaLaunchKernel(l.kernel, dim3(static_cast<unsigned>(l.blocks)),
                         dim3(static_cast<unsigned>(block_threads)), arguments, 0,
                         stream) != cudaSuccess) [[unlikely]]
    check_launch(on, op);
}

}}}  // namespace placement::v0_1::cuda
