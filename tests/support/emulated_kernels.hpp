#pragma once
/// The kernels of GPUs, run on the host block by block: a kernel set for tests.
///
/// Define PLACEMENT_KERNELS_HERE to placement::kernel_set<placement::cpu_kernels, emulated_kernels>
/// and declare `struct emulated_kernels;` before the first header of the library; include this
/// after it. GPUs must then be such whose memory the host reaches, and that say they are hardware:
/// see hardware_platform.hpp.

#include <placement/device/logical_device.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/lower_custom.hpp>
#include <placement/kernels/lower_fold.hpp>
#include <placement/kernels/lower_map.hpp>
#include <placement/kernels/product_tiles.hpp>

#include <support/host_grid.hpp>

struct emulated_kernels {};

namespace placement::inline v0_1 {

template <class Op, class T> struct kernel<emulated_kernels, map, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  template <class R, class F>
  static void flat(logical_device const&, R* out, index_t n, F const& f) {
    detail::map_flat(emulated::host_grid{}, out, n, f);
  }
  template <class R, class F, class X, class Where>
  static void rows(logical_device const&, R* out, Where const& where, X const& x, F const& f) {
    detail::map_rows(emulated::host_grid{}, out, where, x, f);
  }
};

template <class Op, class T> struct kernel<emulated_kernels, fold, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  template <class R, class F, class After>
  static void flat(logical_device const&, Op const& op, R* out, index_t n, F const& f,
                   After const& after) {
    detail::fold_flat<Op, T>(emulated::host_grid{}, op, out, n, f, after);
  }
  template <class R, class X, class F, class After>
  static void rows(logical_device const&, Op const& op, R* out, X const& x, F const& f,
                   After const& after) {
    detail::fold_in_rows<Op, T>(emulated::host_grid{}, op, out, x, f, after);
  }
  template <class R, class X, class F, class After>
  static void last_axis(logical_device const&, Op const& op, R* out, X const& x, F const& f,
                        After const& after) {
    detail::fold_axis_of<Op, T>(emulated::host_grid{}, op, out, x, X::rank - 1, f, after);
  }
  template <class R, class X, class F, class After>
  static void inner_axis(logical_device const&, Op const& op, R* out, X const& x, std::size_t axis,
                         F const& f, After const& after) {
    detail::fold_axis_of<Op, T>(emulated::host_grid{}, op, out, x, axis, f, after);
  }
};

template <class Op, class T> struct kernel<emulated_kernels, contract, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  template <class X, class After>
  static void run(logical_device const& on, T* out, X const& x, index_t depth,
                  strided_view<T const, X::rank> const& a, strided_view<T const, X::rank> const& b,
                  After const& after) {
    detail::multiply_on(emulated::host_grid{}, on, out, x, depth, a, b, after);
  }
};

template <class Op, class T> struct kernel<emulated_kernels, custom, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// In place of kernels that a component or a user brings, the op's own loop is run.
  /// Throws: shape_error for an index outside, as the queue of a GPU does later.
  template <class Out, class... In>
  static void run(logical_device const&, Op const& op, Out const& out, In const&... in) {
    if constexpr (detail::lowering<Op>::exists) {
      kernel_report report;
      detail::lowering<Op>::run(emulated::host_grid{nullptr, &report}, op, out, in...);
      if (report.said != 0) throw shape_error("placement: an index outside of its dimension.");
    } else {
      op(out, in...);
    }
  }
};

}  // namespace placement::inline v0_1
