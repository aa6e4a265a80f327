// One of the source files of placement::placement: devices, memory, placement and the log.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/runtime.ipp>
