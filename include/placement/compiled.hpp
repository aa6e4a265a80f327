#pragma once
/// The former name of placement.hpp in files that leave the library's own functions to
/// placement::compiled.

#if !defined(PLACEMENT_COMPILED)
#  define PLACEMENT_COMPILED
#endif
#include <placement/placement.hpp>
