#pragma once
/// Included before everything else where the expressions run on GPUs that count as hardware, by the
/// kernels of GPUs, which the host runs thread by thread.

struct emulated_kernels;

#include <placement/placement.hpp>

#include <support/emulated_kernels.hpp>
