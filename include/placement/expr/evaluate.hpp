#pragma once
/// The evaluation of an expression: resolve its device, choose the destination, copy the operands,
/// log, run the kernel, keep the result.

#include <placement/expr/assign.hpp>
#include <placement/expr/compute_here.hpp>
#include <placement/expr/constant.hpp>
#include <placement/expr/contiguous.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/pin.hpp>
#include <placement/expr/run_custom.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Evaluates a custom op or a literal. Strong: when it throws, `out` is unchanged.
template <class T, class X, class E, class Pin>
[[gnu::noinline]] void evaluate_custom(tensor<T, X>& out, X const& shape, E const& e,
                                       Pin const& pin, bool is_rvalue, site at) try {
  kernel_placement const k = resolve(e, pin, at);
  if (k.facts.decision.fell_back) [[unlikely]]
    report_fallback(e, k.facts, k.how);
  if (k.forbids_moves) [[unlikely]]
    throw_if_ops_moved(e, k);

  destination<T, X> to(out, shape, k.facts.decision.device, k.facts.requested,
                       may_overwrite(out, e, k.facts.decision.device, is_rvalue),
                       call_site_of(e, k.facts.at));
  launch(e, pin, k, to.data());
  to.keep(k.facts.root, k.facts.at);
} catch (...) { rethrow_as_error(); }

/// Evaluates a fused kernel whose root is e. Strong, as above.
template <class T, class X, class E, class Pin>
[[gnu::noinline]] void evaluate_fused_kernel(tensor<T, X>& out, X const& shape, E const& e,
                                             Pin const& pin, bool is_rvalue, site at,
                                             T* host = nullptr) {
  constexpr bool computes = computes_operands<E, false>() || splits<E>;
  using pin_of_operands = std::conditional_t<computes, Pin, no_pin>;
  evaluate_fused(fused_kernel_of<E, false, pin_of_operands>,
                 {&e, e.from, shape, request_of(e, pin), change_of(typename Pin::policies{}), &pin,
                  is_rvalue, e.from.where.known() ? e.from.where : at},
                 {tensor_access::elements(out), tensor_access::requested(out),
                  tensor_access::shape(out), host});
  tensor_access::shape(out) = shape;
}

/// The element of a fused kernel of one element. Cost: no allocation on CPU:0.
template <class E> typename E::value_type item_of_fused(E const& e, site at) {
  using T = typename E::value_type;
  T value;
  if constexpr (may_be_contiguous<E>())
    if (computed_contiguously(&value, e, no_pin{})) return value;
  auto other = tensor_access::empty<tensor<T, typename E::extents_type>>();
  evaluate_fused_kernel(other, e.shape(), e, no_pin{}, false, at, &value);
  return tensor_access::elements(other) ? other.read()[0] : value;
}

/// Computes e into out. `is_rvalue`: e's handles end with it, so out may be overwritten in place.
/// Strong: when it throws, `out` is unchanged.
template <class T, class X, class E, class Pin>
void evaluate_pinned(tensor<T, X>& out, E const& e, Pin const& pin, bool is_rvalue, site at) {
  if constexpr (is_placed<E>) {
    auto const inner = [&] { evaluate_pinned(out, e.inner, pin_of(e), is_rvalue, e.where); };
    using P = typename decltype(pin_of(e))::policies;
    if constexpr (has_budget<P>) {
      settings_scope const budget(change_of(P{}));
      inner();
    } else {
      inner();
    }
  } else if constexpr (stored<E>) {
    store_copy(out, e, pin, at);
  } else if constexpr (pinned_by_its_type<E, Pin>) {
    evaluate_pinned(out, e, pinned_by_type<device_in_type<E>>{}, is_rvalue, at);
  } else {
    X const shape =
        converted<X>(e.shape(), E::op_type::name, e.from.where.known() ? e.from.where : at);
    if constexpr (is_fused<E>()) {
      if constexpr (may_be_contiguous<E>())
        if (computed_contiguously(out, shape, e, pin, is_rvalue)) return;
      evaluate_fused_kernel(out, shape, e, pin, is_rvalue, at);
    } else {
      evaluate_custom(out, shape, e, pin, is_rvalue, at);
    }
  }
}

template <class T, class X, class E>
void evaluate_into(tensor<T, X>& out, E const& e, bool is_rvalue, site at) {
  evaluate_pinned(out, e, no_pin{}, is_rvalue, at.known() ? at : site_of_scope());
}

/// evaluate_into() for a tensor whose device is in its type.
template <class D, class T, class X, class E>
void evaluate_onto(tensor<T, X>& out, E const& e, bool is_rvalue, site at) {
  if constexpr (std::is_same_v<D, dev<kind::cpu, 0>> && is_here<E>) compute_here(out, e, is_rvalue);
  else evaluate_pinned(out, e, pinned_by_type<D>{}, is_rvalue, at.known() ? at : site_of_scope());
}
template <class T, class X, class E>
inline void evaluate_inline(inline_tensor<T, X>& out, E const& e) {
  if constexpr (is_here<E> && X::is_static) {
    compute_here(out, e);
  } else {
    auto value = tensor_access::empty<tensor<T, X>>();
    evaluate_pinned(value, e, pinned_by_type<dev<kind::cpu, 0>>{}, false, site_of_scope());
    move_bytes(out.data(), cpu0, std::as_const(value).data(), cpu0, value.size() * sizeof(T));
  }
}

/// The value of a subexpression, as a temporary.
template <class E, class Pin> auto evaluated(E const& e, Pin const& pin, site at) {
  auto t = tensor_access::empty<tensor<typename E::value_type, typename E::extents_type>>();
  evaluate_pinned(t, e, pin, false, at);
  return t;
}

}  // namespace detail

/// The value of an expression, computed now. `tensor t = e` does the same.
template <lazy E> auto evaluate(E&& e, site at = site::here()) -> detail::result_of<E> {
  if constexpr (is_inline<detail::result_of<E>>) return {std::forward<E>(e)};
  else return {std::forward<E>(e), at};
}
/// evaluate() under settings that apply to this evaluation only: `evaluate(e, no_copies)`.
/// Throws: placement_error for what the settings forbid. It does not compile where types show that.
template <lazy E, scope_setting First, scope_setting... More>
auto evaluate(E&& e, First first, More... more) -> detail::result_of<E> {
  using policies = detail::policy_of<First, More...>;
  using where = detail::device_in_type<E>;
  detail::check_kernels<policies, where, typename detail::first_missing<bare<E>>::type>();
  detail::check_budget<policies, where, typename detail::typed_operands<bare<E>>::type>();
  detail::settings_change all = detail::change_of(first);
  ((all = all.then(detail::change_of(more))), ...);
  detail::settings_scope const scope(all);
  return {std::forward<E>(e)};
}

}}  // namespace placement::v0_1
