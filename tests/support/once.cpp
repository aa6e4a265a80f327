// The definitions that are compiled once for all test programs: see CMakeLists.txt.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/all.ipp>
