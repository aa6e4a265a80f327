#pragma once
/// The definitions of the CUDA part under a CUDA compiler; empty under any other.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU
#  include <placement/cuda/toolkit_bodies.cuh>
#endif
