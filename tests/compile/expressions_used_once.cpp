// What compiles where expressions may be used once.
#define PLACEMENT_EXPRESSIONS_USED_ONCE
#include <placement/placement.hpp>

#include <utility>

namespace pl = placement;

static_assert(pl::allows_one_use<pl::kernels_here>);
static_assert(pl::allows_one_use<
              pl::kernel_set<pl::recorded<pl::without_op_log<pl::used_once<pl::cpu_kernels>>>>>);
static_assert(!pl::allows_one_use<pl::kernel_set<pl::recorded<pl::cpu_kernels>>>);
static_assert(pl::logs_ops<pl::kernels_here>);

pl::tensor<float, pl::dextents<2>> normalised(pl::tensor<float, pl::dextents<2>> const& x) {
  pl::tensor m = pl::mean(x, pl::keep_dim(0));  // a tensor is computed once
  auto const centred = x - m;  // element-wise: free beside the memory it would take
  pl::tensor variance = pl::mean(pl::square(centred), pl::keep_dim(0));
  auto product = pl::matmul(centred, pl::transpose(x));
  pl::tensor y = std::move(product) + 1.f;  // its only use
  return centred / pl::sqrt(variance + pl::sum(y) * 0.f + 1e-5f);
}
