#pragma once
/// Launches a kernel of any type.

#include <placement/shape/extents.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <string_view>

namespace placement { inline namespace v0_1 {

struct logical_device;

namespace cuda {

/// Functions of the CUDA runtime of one executable or shared library. A statically linked runtime
/// launches only the kernels of its own module. So a file that takes the address of a kernel takes
/// these addresses, too: `{&::cudaLaunchKernel, &::cudaGetLastError}`.
struct runtime_calls {
  cudaError_t (*launch)(void const* kernel, dim3 blocks, dim3 threads, void** arguments,
                        std::size_t shared_bytes, cudaStream_t stream);
  cudaError_t (*last_error)();
};

/// A kernel launch. All kernels of the library use the same block size.
struct launch {
  void const* kernel;  ///< a __global__ function of one argument
  void const* argument;
  index_t blocks;       ///< at most max_blocks
  runtime_calls calls;  ///< of the module that has the kernel
};
/// The most blocks of a launch: CUDA's limit of a grid's first dimension.
inline constexpr index_t max_blocks = std::numeric_limits<int>::max();

/// Cost: one launch. Throws: placement_error if the launch fails or has more than max_blocks.
void launch_kernel(launch const& l, logical_device const& on, std::string_view op);

}  // namespace cuda
}}  // namespace placement::v0_1
