#pragma once
/// Matrix products on a GPU by the library's own kernel. A component can install a faster product
/// engine.

#include <placement/cuda/grid.cuh>
#include <placement/gpu/gemm.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, gemm, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// out = a b for each matrix of the batch; then `epilogue` for each run of finished elements.
  /// Shapes: as on the CPU. Cost: one launch.
  template <class X, class Epilogue>
  static void run(logical_device const& on, T* out, X const& x, index_t depth,
                  strided_view<T const, X::rank> const& a, strided_view<T const, X::rank> const& b,
                  Epilogue const& epilogue) {
    detail::multiply_on(cuda::grid(on, Op::name), on, out, x, depth, a, b, epilogue);
  }
};

}}  // namespace placement::v0_1
