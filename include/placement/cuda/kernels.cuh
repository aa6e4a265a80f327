#pragma once
/// All GPU kernels of the library.

#include <placement/cuda/custom.cuh>
#include <placement/cuda/map.cuh>
#include <placement/cuda/matmul.cuh>
#include <placement/cuda/reduce.cuh>
