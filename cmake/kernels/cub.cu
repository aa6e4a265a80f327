// placement::cub: CUB's radix sort for all element types, as the engine of a program's sorts.
#include <placement/cuda/cub.cuh>
