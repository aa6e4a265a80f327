// What placement::compiled has for files of a CUDA compiler.
#include <placement/cuda/toolkit_once.cuh>
