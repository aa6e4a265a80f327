#pragma once
/// Definitions of the CUDA functions that do not depend on the expression. A C++ compiler with the
/// toolkit's headers can compile them.

#include <placement/src/cuda/check.ipp>
#include <placement/src/cuda/context.ipp>
#include <placement/src/cuda/launch.ipp>
#include <placement/src/cuda/registration.ipp>
#include <placement/src/cuda/reports.ipp>
#include <placement/src/cuda/work_queue.ipp>
