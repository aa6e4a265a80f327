#pragma once
/// Reductions on a GPU.

#include <placement/cuda/grid.cuh>
#include <placement/gpu/lower_reduce.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement::inline v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, reduce, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// *out = all n elements of f, folded. Cost: one launch, or two where there are many.
  template <class R, class F, class Epilogue>
  static void contiguous(logical_device const& on, Op const& op, R* out, index_t n, F const& f,
                         Epilogue const& epilogue) {
    detail::reduce_contiguous<Op, T>(cuda::grid(on, Op::name), op, out, n, f, epilogue);
  }
  /// The same of all elements of shape x in rows.
  template <class R, class X, class F, class Epilogue>
  static void strided(logical_device const& on, Op const& op, R* out, X const& x, F const& f,
                      Epilogue const& epilogue) {
    detail::reduce_strided<Op, T>(cuda::grid(on, Op::name), op, out, x, f, epilogue);
  }
  /// Along the last dimension of shape x.
  template <class R, class X, class F, class Epilogue>
  static void last_axis(logical_device const& on, Op const& op, R* out, X const& x, F const& f,
                        Epilogue const& epilogue) {
    detail::reduce_axis<Op, T>(cuda::grid(on, Op::name), op, out, x, X::rank - 1, f, epilogue);
  }
  /// Along another dimension.
  template <class R, class X, class F, class Epilogue>
  static void inner_axis(logical_device const& on, Op const& op, R* out, X const& x,
                         std::size_t axis, F const& f, Epilogue const& epilogue) {
    detail::reduce_axis<Op, T>(cuda::grid(on, Op::name), op, out, x, axis, f, epilogue);
  }
};

}  // namespace placement::inline v0_1
