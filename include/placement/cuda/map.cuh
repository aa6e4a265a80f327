#pragma once
/// Fused element-wise ops, views and fills on a GPU.

#include <placement/cuda/grid.cuh>
#include <placement/gpu/map.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, map, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// out[i] = f(i) for 0 <= i < n. Cost: one launch.
  template <class R, class F>
  static void contiguous(logical_device const& on, R* out, index_t n, F const& f) {
    detail::map_contiguous(cuda::grid(on, Op::name), out, n, f);
  }
  /// Writes `out` at each position of a strided layout from `f`. Cost: one launch per 2^31
  /// elements.
  template <class R, class F, class X, class Where>
  static void strided(logical_device const& on, R* out, Where const& where, X const& x,
                      F const& f) {
    detail::map_strided(cuda::grid(on, Op::name), out, where, x, f);
  }
};

}}  // namespace placement::v0_1
