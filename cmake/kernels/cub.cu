// placement::cub: CUB's radix sort, selections and histograms for all element types, as engines.
#include <placement/cuda/cub.cuh>
