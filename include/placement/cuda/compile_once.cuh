#pragma once
/// The CUDA half of compile_once.hpp, where a CUDA compiler reads this; else nothing.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU
#  include <placement/cuda/toolkit_once.cuh>
#endif
