#pragma once
/// All kernels of our own for GPUs.

#include <placement/cuda/contract.cuh>
#include <placement/cuda/custom.cuh>
#include <placement/cuda/fold.cuh>
#include <placement/cuda/map.cuh>
