// The file that has kernels for GPUs: those that the host runs. Nobody calls what is in it.
struct emulated_kernels;
#define PLACEMENT_KERNELS_HERE placement::kernel_set<placement::cpu_kernels, emulated_kernels>

#include "expressions.hpp"

#include <support/emulated_kernels.hpp>

namespace shared {

template matrix scaled<>(matrix const&);
template matrix layer<>(matrix const&, vector const&);
template float total<>(matrix const&);
template vector row_means<>(matrix const&);
template matrix probabilities<>(matrix const&);
template void clear_row<>(matrix&);

}  // namespace shared
