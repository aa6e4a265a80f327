// One of the source files of placement::placement: loops of the CPU.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/cpu.ipp>
