#pragma once
/// A kernel set for tests that runs GPU kernels on the host, block by block.
///
/// Define PLACEMENT_KERNELS_HERE to placement::kernel_set<placement::cpu_kernels, emulated_kernels>
/// and declare `struct emulated_kernels;` before the first header of the library. Include this
/// header after the library. The GPUs must have host-accessible memory and report that they are
/// hardware: see hardware_platform.hpp.

#include <placement/device/logical_device.hpp>
#include <placement/gpu/gemm.hpp>
#include <placement/gpu/lower_custom.hpp>
#include <placement/gpu/lower_reduce.hpp>
#include <placement/gpu/map.hpp>
#include <placement/kernels/kernel_set.hpp>

#include <support/host_grid.hpp>

struct emulated_kernels {};

namespace placement { inline namespace v0_1 {

template <class Op, class T> struct kernel<emulated_kernels, map, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  template <class R, class F>
  static void contiguous(logical_device const&, R* out, index_t n, F const& f) {
    detail::map_contiguous(emulated::host_grid{}, out, n, f);
  }
  template <class R, class F, class X, class Where>
  static void strided(logical_device const&, R* out, Where const& where, X const& x, F const& f) {
    detail::map_strided(emulated::host_grid{}, out, where, x, f);
  }
};

template <class Op, class T> struct kernel<emulated_kernels, reduce, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  template <class R, class F, class Epilogue>
  static void contiguous(logical_device const&, Op const& op, R* out, index_t n, F const& f,
                         Epilogue const& epilogue) {
    detail::reduce_contiguous<Op, T>(emulated::host_grid{}, op, out, n, f, epilogue);
  }
  template <class R, class X, class F, class Epilogue>
  static void strided(logical_device const&, Op const& op, R* out, X const& x, F const& f,
                      Epilogue const& epilogue) {
    detail::reduce_strided<Op, T>(emulated::host_grid{}, op, out, x, f, epilogue);
  }
  template <class R, class X, class F, class Epilogue>
  static void last_axis(logical_device const&, Op const& op, R* out, X const& x, F const& f,
                        Epilogue const& epilogue) {
    detail::reduce_axis<Op, T>(emulated::host_grid{}, op, out, x, X::rank - 1, f, epilogue);
  }
  template <class R, class X, class F, class Epilogue>
  static void inner_axis(logical_device const&, Op const& op, R* out, X const& x, std::size_t axis,
                         F const& f, Epilogue const& epilogue) {
    detail::reduce_axis<Op, T>(emulated::host_grid{}, op, out, x, axis, f, epilogue);
  }
};

template <class Op, class T> struct kernel<emulated_kernels, gemm, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  template <class X, class Epilogue>
  static void run(logical_device const& on, T* out, X const& x, index_t depth,
                  strided_view<T const, X::rank> const& a, strided_view<T const, X::rank> const& b,
                  Epilogue const& epilogue) {
    detail::multiply_on(emulated::host_grid{}, on, out, x, depth, a, b, epilogue);
  }
};

template <class Op, class T> struct kernel<emulated_kernels, custom, Op, T> {
  static constexpr bool exists = gpu_declared<Op, T>;

  /// Kernels that a component or a user provides are replaced by the op's own loop.
  /// Throws: shape_error for an index that is out of range. A real GPU reports it later, from its
  /// queue.
  template <class Out, class... In>
  static void run(logical_device const&, Op const& op, Out const& out, In const&... in) {
    if constexpr (detail::lowering<Op>::exists) {
      kernel_report report;
      detail::lowering<Op>::run(emulated::host_grid{nullptr, &report}, op, out, in...);
      if (report.reported != 0) throw shape_error("placement: an index outside of its dimension.");
    } else {
      op(out, in...);
    }
  }
};

}}  // namespace placement::v0_1
