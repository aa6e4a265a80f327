#pragma once
/// Definitions of the CUDA functions that do not depend on the expression. A C++ compiler with the
/// toolkit's headers can compile them.

#include <placement/cuda/check_bodies.cuh>
#include <placement/cuda/context_bodies.cuh>
#include <placement/cuda/launch_bodies.cuh>
#include <placement/cuda/registration_bodies.cuh>
#include <placement/cuda/reports_bodies.cuh>
