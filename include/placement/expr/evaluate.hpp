#pragma once
/// The life of an expression: decide where, choose the destination, bring the operands, log, run,
/// keep.

#include <placement/expr/assign.hpp>
#include <placement/expr/constant.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/launch.hpp>
#include <placement/expr/pin.hpp>

namespace placement::inline v0_1 {

namespace detail {

/// Computes e into out. `expiring`: e's own handles are given up with it, so out may be overwritten
/// in place. Strong: when anything throws, out is as it was.
template <class T, class X, class E, class Pin>
void evaluate_pinned(tensor<T, X>& out, E const& e, Pin const& pin, bool expiring, site at) {
  if constexpr (is_placed<E>) {
    evaluate_pinned(out, e.inner, pin_of(e), expiring, e.where);
  } else if constexpr (stored<E>) {
    store_copy(out, e, pin, at);
  } else {
    X const shape = converted<X>(e.shape());
    asking const asked = asking_of(e, pin);
    settings_word const how = settings_for(pin);
    verdict const v = decide<E>(asked, this_machine(), how.policy());
    kernel_facts const facts{E::op_type::name, asked.asked, asked.who, v.decided,
                             e.from.where.known() ? e.from.where : at};
    if (v.decided.fell_back) [[unlikely]]
      report_fallback(e, facts);
    if (!how.soft() && asked.who != asked_by::pin) [[unlikely]]
      refuse_moved_ops(e, facts, v.split);

    destination<T, X> to(out, shape, v.decided.device, asked.asked,
                         may_overwrite(out, e, v, expiring),
                         {facts.root, facts.at.file, facts.at.line});
    if constexpr (splits<E>) {
      if (v.split) launch<true>(e, pin, facts, how, to.data());
      else launch<false>(e, pin, facts, how, to.data());
    } else {
      launch<false>(e, pin, facts, how, to.data());
    }
    to.keep(facts.root, facts.at);
  }
}

template <class T, class X, class E>
void evaluate_into(tensor<T, X>& out, E const& e, bool expiring, site at) {
  evaluate_pinned(out, e, no_pin{}, expiring, at.known() ? at : this_scope.where);
}

/// The value of a part of an expression, as a temporary.
template <class E, class Pin> auto evaluated(E const& e, Pin const& pin, site at) {
  auto t = tensor_parts::empty<tensor<typename E::value_type, typename E::extents_type>>();
  evaluate_pinned(t, e, pin, false, at);
  return t;
}

}  // namespace detail

/// The value of an expression, computed now. `tensor t = e` does the same.
template <lazy E>
auto evaluate(E&& e, site at = site::here())
    -> tensor<typename bare<E>::value_type, typename bare<E>::extents_type> {
  return {std::forward<E>(e), at};
}

}  // namespace placement::inline v0_1
