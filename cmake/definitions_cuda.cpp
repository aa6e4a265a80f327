// The part of placement::compiled for files of a CUDA compiler.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/cuda/toolkit.ipp>
