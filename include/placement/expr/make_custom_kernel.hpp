#pragma once
/// What a custom op or a literal compiles: one function that brings its operands and runs it.

#include <placement/expr/custom_epilogue.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/launchable.hpp>
#include <placement/expr/run_custom.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

inline void list_no_operands(void const*, fused_operands&) {}
inline void write_no_ops(void const*, void*) {}

/// The CPU kernel of a custom op whose loops call an epilogue.
struct cpu_kernel_with_epilogue {
  template <class Op, class Out, class... In>
  static void run(par on, epilogue_callback const& epilogue, Op const& op, Out const& out,
                  In const&... in) {
    op.run(on, out, in..., epilogue);
  }
};

/// The functions of a fused_kernel for the custom op or literal E. Pin: for operands that are
/// kernels of their own.
template <class E, class Pin> struct custom_functions {
  /// The kernel's operands, and those of lists.
  struct operand_set {
    custom_call const& call;

    template <class X> auto bring(X const& x) { return call.operands.bring(x); }
    template <class X> auto keep(X&& x) { return call.operands.keep(std::forward<X>(x)); }
    template <class X> auto compute(X const& x) {
      return evaluated(x, *static_cast<Pin const*>(call.pin), call.operands.at());
    }
  };
  static void run(custom_call const& c) {
    using T = typename E::value_type;
    E const& e = *static_cast<E const*>(c.expression);
    device const where = c.operands.where();
    T* const out = static_cast<T*>(c.out);
    if constexpr (launches_gpu<typename E::kernels>)
      static_cast<void>(&has_kernels<E, false>::registered);
    if constexpr (literal_node<E>) {
      c.log_ops();
      copy_literal(e, where, out);
    } else {
      auto const launch_after_log = [&]<class Kernel, bool Throws, class Launch>(
                                        std::string_view op, Launch const& kernel_launch) {
        c.log_ops();
        if constexpr (custom_producer<E>)
          if (c.epilogue != nullptr) {
            traced_launch const traced({op, where});
            return kernel_launch.template run<cpu_kernel_with_epilogue>(par{}, *c.epilogue);
          }
        launch_on{where}.template operator()<Kernel, Throws>(op, kernel_launch);
      };
      operand_set set{c};
      run_custom(e, launch_after_log, set, out);
    }
  }

  static constexpr fused_kernel kernel() {
    fused_kernel k{.type = type_of_kernel<E>,
                   .root = facts_of_op<E>,
                   .list = &list_no_operands,
                   .write = &write_no_ops,
                   .visit = &visit_ops_of_kernel<E, false>,
                   .size = {0, 0},
                   .element_bytes = sizeof(typename E::value_type),
                   .result_bytes = sizeof(typename E::value_type),
                   .cost_per_element = 1,
                   .cost_of_reshapes = 0,
                   .form = block_form::any,
                   .logs = logs_ops<typename E::kernels>,
                   .launch = {0, 0, true},
                   .run_custom = &run};
    k.launch.may_throw = custom_node<E>;  // a custom op never writes in place
    return k;
  }
};
template <class E, class Pin>
inline constexpr fused_kernel custom_kernel_of = custom_functions<E, Pin>::kernel();

}}}  // namespace placement::v0_1::detail
