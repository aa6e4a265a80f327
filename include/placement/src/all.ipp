#pragma once
/// The definitions of all functions that do not depend on an expression, for one file that defines
/// PLACEMENT_EMIT_DEFINITIONS. The CMake target compiles the files of cmake/definitions instead.

#include <placement/src/cpu.ipp>
#include <placement/src/runtime.ipp>

#if defined(PLACEMENT_EMIT_DEFINITIONS)  // else the headers of these ops include them
#  include <placement/src/images.ipp>
#endif
