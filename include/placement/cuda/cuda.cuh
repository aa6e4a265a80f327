#pragma once
/// The CUDA half, where a CUDA compiler reads this; else nothing. Reached through the door in
/// kernels/kernels.hpp only.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU

#  include <placement/cuda/check.cuh>
#  include <placement/cuda/context.cuh>
#  include <placement/cuda/kernels.cuh>
#  include <placement/cuda/registration.cuh>

namespace placement::inline v0_1::cuda::detail {

/// Of this file alone: each is compiled for architectures of its own.
[[maybe_unused]] static bool const& file_is_registered = registered_for<__CUDA_ARCH_LIST__>::done;

}  // namespace placement::inline v0_1::cuda::detail

#endif
