#pragma once
/// All kernels that this compiler can build.

#include <placement/kernels/custom.hpp>
#include <placement/kernels/map.hpp>
#include <placement/kernels/matmul.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/kernels/reduce.hpp>

#include <placement/cuda/cuda.cuh>  // the door to cuda/; nothing, where no CUDA compiler reads it
