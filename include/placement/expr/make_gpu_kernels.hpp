#pragma once
/// Compiles GPU kernels in a CUDA file for other files of the program.

#include <placement/exec/kernels.hpp>
#include <placement/expr/make_fused_kernel.hpp>
#include <placement/expr/run_custom.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Accepts kernel launches like launch_on, but only registers their launchers.
template <kernel_source Source> struct launcher_registrar {
  template <class Kernel, bool, class Launch>
  void operator()(std::string_view, Launch const&) const {
    static_assert(Kernel::exists,
                  "placement: an expression that this file is to compile has no kernel for GPUs. "
                  "Leave it out.");
    static_cast<void>(launcher_of<Kernel, Launch, Source>());
  }
};
/// Replaces the operands of a kernel where only their types matter.
struct operands_by_type {
  template <class X> typename X::value_type const* bring(X const&) { return nullptr; }
  template <class X> auto compute(X const&) {
    return tensor_access::empty<tensor<typename X::value_type, typename X::extents_type>>();
  }
  template <class X> typename X::value_type const* keep(X&&) { return nullptr; }
};
/// Never called; only its instantiations matter.
template <class E, kernel_source Source>
void launch_by_type(E const& e, typename E::value_type* out) {
  operands_by_type operands;
  run_custom(e, launcher_registrar<Source>{}, operands, out);
}
/// Source: of the kernels, for other files.
template <class E, kernel_source Source = kernel_source::another_file> bool make_kernels() {
  if constexpr (launches_gpu<typename E::kernels>) {
    if constexpr (is_fused<E>()) {
      static_assert(gpu_kernel_of_form<E, splits<E>>::exists,
                    "placement: an expression that this file is to compile has no kernel for GPUs. "
                    "Leave it out.");
      static_cast<void>(own_fused_launcher<E, splits<E>, Source>());
    } else {
      static_cast<void>(&launch_by_type<E, Source>);
    }
    return has_kernels<E, splits<E>, Source>::registered;
  } else {
    return false;
  }
}

}  // namespace detail

/// Compiles the GPU kernels of expressions of these types. Other files of the program, built by a
/// C++ compiler, can then launch them. Of an operand, only element type and extents matter; each
/// expression is one kernel. Use it in a file for a CUDA compiler; elsewhere it returns false.
///
///     using x = pl::tensor<float, pl::dextents<1>>;
///     static bool const made = pl::make_gpu_kernels<decltype(pl::exp(std::declval<x>()))>();
template <class... E> bool make_gpu_kernels() { return (detail::make_kernels<E>() && ...); }

}}  // namespace placement::v0_1
