// The one source file of placement::compiled.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/all.ipp>
