#pragma once
/// Gradients: of expressions, at compile time, and across statements by a tape.
///
/// Include it before placement.hpp: gradient tapes record the evaluations of this file.

#if defined(PLACEMENT_WITHOUT_GRADIENTS)
#  error \
      "placement: include placement/gradient.hpp before placement/placement.hpp and the headers of ops."
#endif
#if !defined(PLACEMENT_GRADIENTS)
#  define PLACEMENT_GRADIENTS
#endif

#include <placement/placement.hpp>
