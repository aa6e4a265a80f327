// The part of placement::compiled for files of a CUDA compiler.
#include <placement/cuda/toolkit_once.cuh>
