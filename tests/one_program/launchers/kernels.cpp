// The file with GPU kernels, which the host runs. Only scaled_there is called.
struct emulated_kernels;
#define PLACEMENT_KERNELS_HERE placement::kernel_set<placement::cpu_kernels, emulated_kernels>

#include "expressions.hpp"

#include <placement/expr/make_gpu_kernels.hpp>
#include <support/emulated_kernels.hpp>

#include <utility>

namespace shared {

template placement::matrix<float> scaled<>(placement::matrix<float> const&);
template placement::matrix<float> layer<>(placement::matrix<float> const&,
                                          placement::vector<float> const&);
template float total<>(placement::matrix<float> const&);
template placement::vector<float> row_means<>(placement::matrix<float> const&);
template placement::matrix<float> probabilities<>(placement::matrix<float> const&);
template void clear_row<>(placement::matrix<float>&);

placement::matrix<float> scaled_there(placement::matrix<float> const& x) { return scaled<>(x); }

/// Kernels instantiated by type alone, without a function.
[[maybe_unused]] bool const made = placement::make_gpu_kernels<
    decltype(sin(std::declval<placement::matrix<float>>() * 2.f)),
    decltype(std::declval<placement::matrix<float>>() - std::declval<placement::vector<float>>()),
    decltype(sum(std::declval<placement::matrix<float>>(), placement::axis<0>)),
    decltype(matmul(std::declval<placement::matrix<float>>(),
                    std::declval<placement::matrix<float>>()) *
             std::declval<placement::matrix<float>>())>();

}  // namespace shared
