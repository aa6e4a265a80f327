#pragma once
/// Member functions of gradient_tape, and what the evaluation calls.

#include <placement/gradient/backward_pass.hpp>
#include <placement/gradient/gradient_tape.hpp>
#include <placement/gradient/statement_records.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The first node on a path from a watched tensor that has no derivative.
template <class X, class Tape> void check_derivatives(X const& x, Tape const& tape) {
  if constexpr (is_placed<X>) {
    check_derivatives(x.inner, tape);
  } else if constexpr (is_expr<X> && has_path<X> &&
                       !std::is_void_v<typename without_derivative<X>::type>) {
    if (!tape.reaches(x)) return;
    if constexpr (!has_derivative<X>) throw_no_derivative(X::op_type::name, x.from.where);
    else for_each_operand(x, [&](auto const& below) { check_derivatives(below, tape); });
  }
}
}  // namespace detail

template <class E> void gradient_tape::check(E const& e, site at) const {
  if constexpr (!std::is_void_v<typename detail::without_derivative<E>::type>)
    for (gradient_tape const* t = this; t != nullptr; t = t->outer_tape())
      detail::check_derivatives(e, *t);
  if (any_has_gradients()) [[unlikely]]
    check_first_order(detail::tensors_in(e), at);
}

template <class E, class Pin> auto gradient_tape::part(E const& e, Pin const& pin, site at) {
  auto t = detail::tensor_access::empty<detail::gradient_type<E>>();
  if constexpr (is_reference<E>) {
    t = detail::target_now(e, "a recorded statement", at);
  } else if constexpr (detail::has_path<E>) {
    compute(t, e, pin, false, at);
  } else {
    no_gradient const pause;
    detail::evaluate_pinned(t, e, pin, false, at);
  }
  return t;
}

template <class T, class X, class E, class Pin>
void gradient_tape::compute(tensor<T, X>& out, E const& e, Pin const& pin, bool is_rvalue,
                            site at) {
  if constexpr (!detail::has_path<E>) {
    no_gradient const pause;
    detail::evaluate_pinned(out, e, pin, is_rvalue, at);
  } else if constexpr (is_placed<E>) {
    if constexpr (lazy<decltype(e.inner)>) {
      if (any_reaches(detail::tensors_in(e))) {
        using policies = typename decltype(detail::pin_of(e))::policies;
        detail::settings_scope const budget = detail::budget_of<policies>();
        return compute(out, e.inner, detail::pin_of(e), is_rvalue, e.where);
      }
      no_gradient const pause;
      detail::evaluate_pinned(out, e, pin, is_rvalue, at);
    } else {
      detail::evaluate_pinned(out, e, pin, is_rvalue, at);  // a copy is recorded by note_copy()
    }
  } else {
    if (!any_reaches(detail::tensors_in(e))) {
      no_gradient const pause;
      return detail::evaluate_pinned(out, e, pin, is_rvalue, at);
    }
    check_target(detail::tensor_access::elements(out), out.shape());
    check(e, at);
    if constexpr (detail::has_fused_form<E>)
      if (detail::fused_form<E>::matches(e)) return compute(out, detail::fused(e), pin, false, at);
    auto const parts = [&](auto const& x) { return part(x, pin, at); };
    auto const whole = [&] { return detail::with_cuts<false>(e, parts); };
    using record = detail::statement_record<gradient_tape, decltype(whole()), T, X>;
    auto* const made = new record(whole);
    detail::record_ref const r(made);
    detail::tensors_of const operands = detail::tensors_in(made->expression);
    {
      no_gradient const pause(made->copies);
      detail::evaluate_pinned(made->result, made->expression, pin, false, at);
    }
    made->keep_operands(operands);
    if (any_checks_numerics()) [[unlikely]]
      check_result(made->result, op_name<E>(), at);
    made->op = op_name<E>();
    note(*made, at, {operands}, detail::tensor_access::elements(made->result),
         &detail::functions_of<typename E::kernels, T>);
    detail::tensor_access::elements(out) = detail::tensor_access::elements(made->result);
    detail::tensor_access::requested(out) = made->result.requested();
    detail::tensor_access::shape(out) = made->result.shape();
  }
}

template <class K, class View, class X>
void gradient_tape::assign(View const& to, X const& x, bool is_rvalue, site at) {
  using T = typename View::value_type;
  auto& target = detail::target_of(to);
  using whole = bare<decltype(target)>;
  auto const run = [&](auto const& value) {
    bool const reached =
        any_reaches(detail::tensors_in(target)) || any_reaches(detail::tensors_in(value));
    if (!reached) {
      no_gradient const pause;
      return detail::assign_elements<K>(to, value, is_rvalue);
    }
    check_target(detail::tensor_access::elements(target), target.shape());
    whole const old = target;
    {
      no_gradient const pause;
      detail::assign_elements<K>(to, value, false);
    }
    using V = bare<decltype(value)>;
    using record =
        detail::assignment_record<gradient_tape, K, View, T, typename whole::extents_type, V>;
    auto* const made = new record(to, old, value);
    detail::record_ref const r(made);
    note(*made, at, {detail::tensors_in(old), detail::tensors_in(value)},
         detail::tensor_access::elements(target), &detail::functions_of<K, T>);
  };
  if constexpr (number<X>) {
    run(detail::as_element<T>(x));
  } else if constexpr (is_tensor<X>) {
    run(x);
  } else {
    tensor<T, typename X::extents_type> value = x;
    run(value);
  }
}

template <class T, class X> void gradient_tape::watch_one(tensor<T, X> const& t) {
  static_assert(real_number<T>,
                "placement: a gradient_tape watches floating point. Write cast<float>(x).");
  auto const& elements = detail::tensor_access::elements(t);
  if (!elements) return;
  if (elements->is_external()) throw_borrowed("a gradient_tape cannot watch", to_string(t.shape()));
  if (std::uint32_t const known = find(elements.get()); known != none) {
    if (value(known).is_result) return;
    throw_watched_twice(to_string(t.shape()));
  }
  add_value(elements, &detail::functions_of<kernels_here, T>);
}

template <detail::gradient_shape S, class T, class X, class G>
void gradient_tape::add(tensor<T, X> const& t, G const& g) {
  if constexpr (real_number<T>) {
    std::uint32_t const of = find(detail::tensor_access::elements(t).get());
    if (of == none) return;
    auto more = detail::tensor_of_shape<kernels_here, S>(g, t.shape());
    add_gradient(of, std::move(detail::tensor_access::elements(more)), more.requested());
  }
}

template <class T, class X>
void gradient_tape::check_result(tensor<T, X> const& t, std::string_view what, site at) {
  if constexpr (detail::has_faults<T>) {
    auto const& b = detail::tensor_access::elements(t);
    if (!b) return;
    auto const faults = detail::faults_in(*b.get(), &detail::find_faults<T>, sizeof(T));
    if (faults.count() != 0) detail::throw_faults(what, at, faults, to_string(t.shape()));
  }
}

template <bool Zeros, class P> detail::gradient_type<P> gradient_tape::found_for(P const& p) {
  using T = typename P::value_type;
  std::uint32_t const number = find(detail::tensor_access::elements(p).get());
  auto g = detail::tensor_access::empty<detail::gradient_type<P>>();
  if (number != none && value(number).gradient) {
    detail::tensor_access::elements(g) = value(number).gradient;
    detail::tensor_access::requested(g) = value(number).requested;
    detail::tensor_access::shape(g) = p.shape();
    mark_gradient(value(number).gradient);
    return g;
  }
  if constexpr (Zeros) {
    return detail::value_now(zeros<T>(p.shape(), detail::site_of_scope()));
  } else {
    if (p.size() != 0)
      throw_unconnected(to_string(p.shape()), detail::tensor_access::elements(p).get());
    return detail::with_shape(p, p.shape());  // an empty tensor is its own gradient
  }
}

template <class T> void gradient_tape::run_from(std::uint32_t loss) {
  if (loss == none) return;
  auto one = [&] {
    detail::open_scope const on_its_device(device_spec{value(loss).elements->where()}, {});
    return detail::value_now(constant(T{1}, extents<>{}, site_of(loss)));
  }();
  value(loss).gradient = std::move(detail::tensor_access::elements(one));
  run_backwards();
}
template <bool Zeros, class L, class... P>
auto gradient_tape::gradients_of(L const& loss, P const&... p) {
  using T = typename L::value_type;
  using number = tensor<T, extents<>>;
  if constexpr (!std::is_same_v<L, number>) {
    return gradients_of<Zeros>(number(loss), p...);
  } else {
    detail::backward_pass const pass(*this, detail::tensor_access::elements(loss).get(), Zeros);
    (keep_gradient(detail::tensor_access::elements(p)), ...);
    run_from<T>(pass.loss);
    if constexpr (sizeof...(P) == 1) return (found_for<Zeros>(p), ...);
    else return std::tuple{found_for<Zeros>(p)...};
  }
}
template <class L, class Each, class Found>
void gradient_tape::visit_gradients(L const& loss, Each const& each, Found const& found) {
  using T = typename L::value_type;
  using number = tensor<T, extents<>>;
  if constexpr (!std::is_same_v<L, number>) {
    visit_gradients(number(loss), each, found);
  } else {
    detail::backward_pass const pass(*this, detail::tensor_access::elements(loss).get(), false);
    each([&](auto const& t) { keep_gradient(detail::tensor_access::elements(t)); });
    run_from<T>(pass.loss);
    each([&](auto const& t) { found(found_for<false>(t)); });
  }
}

namespace detail {

inline gradient_tape& tape_of_thread() { return static_cast<gradient_tape&>(*gradients_here); }

template <class T, class X, class E, class Pin>
void record_gradient(tensor<T, X>& out, E const& e, Pin const& pin, bool is_rvalue, site at) {
  tape_of_thread().compute(out, e, pin, is_rvalue, at);
}
template <class E> void refuse_gradient(E const& e, site at) {
  if constexpr (has_path<E>)
    tensors_in(e).for_each([at](buffer_ref const& b, bool) {
      if (b && gradients_here->watches(*b.get())) throw_inline_result(E::op_type::name, at);
    });
}
template <class K, class View, class X>
void record_assignment(View const& to, X const& x, bool is_rvalue) {
  tape_of_thread().template assign<K>(to, x, is_rvalue, site_of_scope());
}

}  // namespace detail
}}  // namespace placement::v0_1
