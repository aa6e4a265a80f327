// The part of placement::placement for files of a CUDA compiler.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/cuda/toolkit.ipp>
