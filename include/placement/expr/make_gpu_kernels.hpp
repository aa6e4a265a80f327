#pragma once
/// Kernels for GPUs that a file of a CUDA compiler compiles for other files of the program.

#include <placement/expr/launch.hpp>

#include <string_view>

namespace placement::inline v0_1 {

namespace detail {

/// Takes jobs like launch_on, and leaves their launchers.
struct register_launcher {
  device where;
  template <class Kernel, bool, class Launch>
  void operator()(std::string_view, Launch const&) const {
    static_assert(Kernel::exists,
                  "placement: an expression that this file is to compile has no kernel for GPUs. "
                  "Leave it out.");
    static_cast<void>(launcher_of<Kernel, Launch>());
  }
};
/// Stands for the operands of a kernel where only their types count.
struct operands_by_type {
  template <class X> typename X::value_type const* bring(X const&) { return nullptr; }
  template <class X> auto compute(X const&) {
    return tensor_access::empty<tensor<typename X::value_type, typename X::extents_type>>();
  }
  template <class X> typename X::value_type const* keep(X&&) { return nullptr; }
  void const* produced(void const* node) const { return node; }
  void set_produced(void const*, void const*) {}
};
/// Never called: what it instantiates counts.
template <class E, bool Split> void launch_by_type(E const& e, typename E::value_type* out) {
  operands_by_type operands;
  run_kernel<Split>(e, register_launcher{cpu0}, operands, out, [](auto const*) {});
}
template <class E> bool make_kernels() {
  if constexpr (launches_gpu<typename E::kernels>) {
    static_cast<void>(&launch_by_type<E, splits<E>>);
    return has_kernels<E, splits<E>>::registered;
  } else {
    return false;
  }
}

}  // namespace detail

/// Compiles the kernels for GPUs of expressions of these types, so that other files of the program,
/// which a C++ compiler built, launch them. What counts of an operand is its element type and its
/// extents; each expression is one kernel. For a file of a CUDA compiler; elsewhere it is false.
///
///     using x = pl::tensor<float, pl::dextents<1>>;
///     static bool const made = pl::make_gpu_kernels<decltype(pl::exp(std::declval<x>()))>();
template <class... E> bool make_gpu_kernels() { return (detail::make_kernels<E>() && ...); }

}  // namespace placement::inline v0_1
