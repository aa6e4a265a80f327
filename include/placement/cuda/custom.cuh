#pragma once
/// GPU kernels of the library's ops with a loop of their own. A user's op specialises `kernel`
/// itself.

#include <placement/cuda/grid.cuh>
#include <placement/gpu/lower_custom.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

template <int... Archs, class Op, class T> struct kernel<gpu_kernels<Archs...>, custom, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T> && detail::lowering<Op>::exists;

  template <class Out, class... In>
  static void run(logical_device const& on, Op const& op, Out const& out, In const&... in) {
    detail::lowering<Op>::run(cuda::grid(on, Op::name), op, out, in...);
  }
};

}}  // namespace placement::v0_1
