#pragma once
/// The CUDA part of `compile_once.hpp` under a CUDA compiler; empty under any other.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU
#  include <placement/cuda/toolkit_once.cuh>
#endif
