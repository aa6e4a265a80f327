#pragma once
/// Included first if the expressions run on GPUs that count as hardware. The host executes the GPU
/// kernels thread by thread.

struct emulated_kernels;

#include <placement/placement.hpp>

#include <support/emulated_kernels.hpp>
