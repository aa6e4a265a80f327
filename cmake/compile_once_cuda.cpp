// What placement::compiled has for files of a CUDA compiler.
#include <placement/cuda/compile_once.cuh>
