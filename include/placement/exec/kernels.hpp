#pragma once
/// All kernels that this compiler can build.

#include <placement/cpu/custom.hpp>
#include <placement/cpu/epilogue_kernel.hpp>
#include <placement/cpu/gemm.hpp>
#include <placement/cpu/map.hpp>
#include <placement/cpu/reduce.hpp>
#include <placement/kernels/product_engine.hpp>

#include <placement/cuda/cuda.cuh>  // empty without a CUDA compiler
