#pragma once
/// The CUDA part under a CUDA compiler; empty under any other. Included only by the umbrella header
/// exec/kernels.hpp.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU

#  include <placement/cuda/check.cuh>
#  include <placement/cuda/context.cuh>
#  include <placement/cuda/custom.cuh>
#  include <placement/cuda/map.cuh>
#  include <placement/cuda/matmul.cuh>
#  include <placement/cuda/reduce.cuh>
#  include <placement/cuda/registration.cuh>

namespace placement { inline namespace v0_1 { namespace cuda { namespace detail {

/// One variable per file, because files may be compiled for different architectures.
[[maybe_unused]] static bool const& file_is_registered = registered_for<__CUDA_ARCH_LIST__>::done;

}}}}  // namespace placement::v0_1::cuda::detail

#endif
