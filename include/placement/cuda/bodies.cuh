#pragma once
/// The bodies of the CUDA half, where a CUDA compiler reads this; else nothing.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU
#  include <placement/cuda/toolkit_bodies.cuh>
#endif
