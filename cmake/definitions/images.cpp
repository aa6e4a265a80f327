// One of the source files of placement::placement: convolutions and pools.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/images.ipp>
