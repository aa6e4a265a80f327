// The file that has kernels for GPUs: those that the host runs. Nobody calls what is in it.
struct emulated_kernels;
#define PLACEMENT_KERNELS_HERE placement::kernel_set<placement::cpu_kernels, emulated_kernels>

#include "expressions.hpp"

#include <placement/expr/make_gpu_kernels.hpp>
#include <support/emulated_kernels.hpp>

#include <utility>

namespace shared {

template matrix scaled<>(matrix const&);
template matrix layer<>(matrix const&, vector const&);
template float total<>(matrix const&);
template vector row_means<>(matrix const&);
template matrix probabilities<>(matrix const&);
template void clear_row<>(matrix&);

/// And without a function: by type alone.
[[maybe_unused]] bool const made =
    placement::make_gpu_kernels<decltype(sin(std::declval<matrix>() * 2.f)),
                                decltype(std::declval<matrix>() - std::declval<vector>()),
                                decltype(sum(std::declval<matrix>(), placement::axis<0>)),
                                decltype(matmul(std::declval<matrix>(), std::declval<matrix>()) *
                                         std::declval<matrix>())>();

}  // namespace shared
