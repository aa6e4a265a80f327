#pragma once
/// The library's own code for NVIDIA's GPUs: the bodies of what does not depend on the expression.
/// The toolkit's headers are enough for them: a C++ compiler will do.

#include <placement/cuda/check_bodies.cuh>
#include <placement/cuda/context_bodies.cuh>
#include <placement/cuda/launch_bodies.cuh>
#include <placement/cuda/registration_bodies.cuh>
#include <placement/cuda/reports_bodies.cuh>
