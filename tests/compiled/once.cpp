#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/all.ipp>
