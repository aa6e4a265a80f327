#pragma once
/// Kernel launches on the stream of the device.

#include <placement/config.hpp>
#include <placement/cuda/launch.cuh>
#include <placement/error.hpp>
#include <placement/gpu/tile.hpp>
#include <placement/src/cuda/check.ipp>

#include <string>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_too_many_blocks(index_t blocks,
                                                                         std::string_view op) {
  throw placement_error("placement: the launch of " + std::string(op) + " needs " +
                        std::to_string(blocks) + " blocks, and a GPU starts " +
                        std::to_string(max_blocks) +
                        " at most. Split the tensor along its first dimension.");
}
}  // namespace detail

PLACEMENT_INLINE void launch_kernel(launch const& l, logical_device const& on,
                                    std::string_view op) {
  if (l.blocks > max_blocks) [[unlikely]]
    detail::throw_too_many_blocks(l.blocks, op);
  CUstream_st* const stream = stream_of(on);
  void* arguments[] = {const_cast<void*>(l.argument)};
  cudaError_t const code =
      l.calls.launch(l.kernel, dim3(static_cast<unsigned>(l.blocks)),
                     dim3(static_cast<unsigned>(block_threads)), arguments, 0, stream);
  if (code != cudaSuccess) [[unlikely]] {
    static_cast<void>(l.calls.last_error());  // or the program's next check would report it
    detail::throw_launch_error(code, op, on);
  }
}

}}}  // namespace placement::v0_1::cuda
