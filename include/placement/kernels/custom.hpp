#pragma once
/// The CPU kernel of an op that brings its own loop: the op is called with views of the result and
/// the operands.

#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/view.hpp>

namespace placement::inline v0_1 {

template <class Op, class T> struct kernel<cpu_kernels, custom, Op, T> {
  static constexpr bool exists = true;

  /// op(out, operands...): dense views, all in memory that the CPU may touch.
  template <class On, class Out, class... In>
  static void run(On const&, Op const& op, Out const& out, In const&... in) {
    op(out, in...);
  }
};

}  // namespace placement::inline v0_1
