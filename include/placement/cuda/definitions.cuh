#pragma once
/// The definitions of the CUDA part under a CUDA compiler; empty under any other.

#include <placement/config.hpp>

#if PLACEMENT_CUDA_TU
#  include <placement/src/cuda/toolkit.ipp>
#endif
