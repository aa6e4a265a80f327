#pragma once
/// Matrix products on a GPU, by our own kernel. A faster library is an engine that a component
/// puts in its place.

#include <placement/cuda/grid.cuh>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/product_tiles.hpp>

namespace placement::inline v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, contract, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// out = a b for every matrix of the batch; then `after` for each run of finished elements.
  /// Shapes: as on the CPU. Cost: one launch.
  template <class X, class After>
  static void run(logical_device const& on, T* out, X const& x, index_t depth,
                  strided_view<T const, X::rank> const& a, strided_view<T const, X::rank> const& b,
                  After const& after) {
    detail::multiply_on(cuda::grid(on, Op::name), on, out, x, depth, a, b, after);
  }
};

}  // namespace placement::inline v0_1
