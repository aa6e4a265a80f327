#pragma once
/// Reductions on a GPU.

#include <placement/cuda/grid.cuh>
#include <placement/gpu/lower_reduce.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, reduce, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// *out = the reduction of f(0) to f(n - 1). Cost: one launch, or two for large n.
  template <class R, class F, class Epilogue>
  static void contiguous(logical_device const& on, Op const& op, R* out, index_t n, F const& f,
                         Epilogue const& epilogue) {
    detail::reduce_contiguous<Op, T>(cuda::grid(on, Op::name), op, out, n, f, epilogue);
  }
  /// The same for all elements of a strided operand of shape x.
  template <class R, class X, class F, class Epilogue>
  static void strided(logical_device const& on, Op const& op, R* out, X const& x, F const& f,
                      Epilogue const& epilogue) {
    detail::reduce_strided<Op, T>(cuda::grid(on, Op::name), op, out, x, f, epilogue);
  }
  /// Reduces along the last dimension of shape x.
  template <class R, class X, class F, class Epilogue>
  static void last_axis(logical_device const& on, Op const& op, R* out, X const& x, F const& f,
                        Epilogue const& epilogue) {
    detail::reduce_axis<Op, T>(cuda::grid(on, Op::name), op, out, x, X::rank - 1, f, epilogue);
  }
  /// Reduces along another dimension.
  template <class R, class X, class F, class Epilogue>
  static void inner_axis(logical_device const& on, Op const& op, R* out, X const& x,
                         std::size_t axis, F const& f, Epilogue const& epilogue) {
    detail::reduce_axis<Op, T>(cuda::grid(on, Op::name), op, out, x, axis, f, epilogue);
  }
};

}}  // namespace placement::v0_1
