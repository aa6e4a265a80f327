#pragma once
/// The CUDA half, reached through the door in kernels/kernels.hpp only.
///
/// This version has no GPU kernels yet: files built by a CUDA compiler carry the kernel set of
/// their architectures in every expression's type, run on the CPU and on simulated GPUs, and say so
/// on a real one.

#if !defined(__CUDACC__)
#  error "placement/cuda/*.cuh needs a CUDA compiler; include <placement/placement.hpp> instead"
#endif
