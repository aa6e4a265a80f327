#pragma once
/// Custom ops, which bring their own loops over dense views, and values written in the program.

#include <placement/exec/launch_on.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/launchable.hpp>
#include <placement/place/location.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

template <class E, class Set, class T> auto custom_launch_of(E const& e, Set& set, T* out) {
  auto view_of = [&]<class C>(C const& c) {
    if constexpr (is_list<C>) return c.views(set);
    else
      return dense_view<typename C::value_type const, typename C::extents_type>{elements_of(c, set),
                                                                                c.shape()};
  };
  using Out = dense_view<T, typename E::extents_type>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return custom_launch<typename E::op_type, element_of<E>, Out,
                         decltype(view_of(e.template arg<I>()))...>{
        e.op, Out{out, e.shape()}, {{view_of(e.template arg<I>())}...}};
  }(std::make_index_sequence<E::arity>{});
}

/// Runs a custom op by `submit`, which takes its kernel launch. `set` gives the operands.
template <class E, class Submit, class Set, class T>
void run_custom(E const& e, Submit const& submit, Set& set, T* out) {
  auto const kernel_launch = custom_launch_of(e, set, out);
  auto const start = [&] {
    submit.template operator()<gpu_kernel_here<E>, false>(E::op_type::name, kernel_launch);
  };
  if constexpr (!bare<decltype(kernel_launch)>::may_throw) {
    start();
  } else {
    try {
      start();
    } catch (shape_error& error) {
      add_location(error, E::op_type::name, e.from.where);
      throw;
    }
  }
}

/// Copies the values of a literal, which are in host memory of the op.
template <class E, class T> void copy_literal(E const& e, device where, T* out) {
  move_bytes(out, where, e.op.data(), cpu0, e.shape().count() * sizeof(T));
}

/// Runs the custom op or literal e on its resolved device and writes its elements to `out` there.
/// Transfers and kernels of operands run before the first write.
template <class E, class Pin, class T>
void launch(E const& e, Pin const& pin, kernel_placement const& k, T* out) {
  device const where = k.facts.decision.device;
  throw_if_unrecorded("An op ran on", where);
  operand_slots<E::arity> slots;
  operand_set<Pin> set(slots, where, k.how, pin, k.facts);
  if constexpr (launches_gpu<typename E::kernels>)
    static_cast<void>(&has_kernels<E, false>::registered);
  auto const log = [&] {
    if constexpr (logs_ops<typename E::kernels>)
      if (k.how.reports_ops()) [[unlikely]]
        visit_ops<false>(e, static_cast<no_producer const*>(nullptr), set.facts_now(), log_op_of);
  };
  if constexpr (literal_node<E>) {
    log();
    copy_literal(e, where, out);
  } else {
    auto const launch_after_log = [&]<class Kernel, bool Throws, class Launch>(
                                      std::string_view op, Launch const& kernel_launch) {
      log();
      launch_on{where}.template operator()<Kernel, Throws>(op, kernel_launch);
    };
    run_custom(e, launch_after_log, set, out);
  }
}

}}}  // namespace placement::v0_1::detail
