// The one source file of placement::placement.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/all.ipp>
