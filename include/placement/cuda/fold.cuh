#pragma once
/// Reductions on a GPU.

#include <placement/cuda/grid.cuh>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/lower_fold.hpp>

namespace placement::inline v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, fold, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// *out = all n elements of f, folded. Cost: one launch, or two where there are many.
  template <class R, class F, class After>
  static void flat(logical_device const& on, Op const& op, R* out, index_t n, F const& f,
                   After const& after) {
    detail::fold_flat<Op, T>(cuda::grid(on, Op::name), op, out, n, f, after);
  }
  /// The same of all elements of shape x in rows.
  template <class R, class X, class F, class After>
  static void rows(logical_device const& on, Op const& op, R* out, X const& x, F const& f,
                   After const& after) {
    detail::fold_in_rows<Op, T>(cuda::grid(on, Op::name), op, out, x, f, after);
  }
  /// Along the last dimension of shape x.
  template <class R, class X, class F, class After>
  static void last_axis(logical_device const& on, Op const& op, R* out, X const& x, F const& f,
                        After const& after) {
    detail::fold_axis_of<Op, T>(cuda::grid(on, Op::name), op, out, x, X::rank - 1, f, after);
  }
  /// Along another dimension.
  template <class R, class X, class F, class After>
  static void inner_axis(logical_device const& on, Op const& op, R* out, X const& x,
                         std::size_t axis, F const& f, After const& after) {
    detail::fold_axis_of<Op, T>(cuda::grid(on, Op::name), op, out, x, axis, f, after);
  }
};

}  // namespace placement::inline v0_1
