#pragma once
/// Gradients: of expressions, at compile time, and across statements by a tape.
///
/// Include it before placement.hpp: gradient tapes record the evaluations of this file.

#if defined(PLACEMENT_VERSION_MAJOR) && !defined(PLACEMENT_GRADIENTS)
#  error "placement: include placement/gradient.hpp before placement/placement.hpp."
#endif
#if !defined(PLACEMENT_GRADIENTS)
#  define PLACEMENT_GRADIENTS
#endif

#include <placement/placement.hpp>
