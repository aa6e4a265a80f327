#pragma once
/// All kernels of our own for GPUs.

#include <placement/cuda/custom.cuh>
#include <placement/cuda/map.cuh>
#include <placement/cuda/matmul.cuh>
#include <placement/cuda/reduce.cuh>
