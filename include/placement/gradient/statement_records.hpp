#pragma once
/// The records of statements and of assignments through views. Tape: gradient_tape.

#include <placement/expr/assign.hpp>
#include <placement/gradient/pull.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/kernels/kept_bytes.hpp>

#include <cstdint>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// The record of `y = e`.
template <class Tape, class E, class T, class X> class statement_record final : public tape_record {
 public:
  /// make: returns the expression.
  template <class F> explicit statement_record(F const& make) : expression(make()) {
    if constexpr (is_expr<E>)
      if constexpr (keeps_bytes<typename E::op_type>) expression.op.kept.keep();
  }
  /// Not inline in the function that also deallocates.
  [[gnu::noinline]] ~statement_record() override = default;

  void pull(tape_core& core, std::uint32_t of) const override {
    auto& tape = static_cast<Tape&>(core);
    tape_value const& v = core.value(of);
    auto g = tensor_access::empty<tensor<T, X>>();
    tensor_access::elements(g) = v.gradient;
    tensor_access::requested(g) = v.requested;
    tensor_access::shape(g) = result.shape();
    detail::pull<gradient_shape::exact>(expression, result, g, tape);
  }

  E expression;
  tensor<T, X> result = tensor_access::empty<tensor<T, X>>();
};

/// The record of an assignment through a view: `view(old) = value`, of which y is the new tensor.
template <class Tape, class K, class View, class T, class X, class V>
class assignment_record final : public tape_record {
 public:
  assignment_record(View v, tensor<T, X> old, V value)
      : view_(std::move(v)), old_(std::move(old)), value_(std::move(value)) {}
  void pull(tape_core& core, std::uint32_t result) const override {
    auto& tape = static_cast<Tape&>(core);
    auto g = tensor_access::empty<tensor<T, X>>();
    tensor_access::elements(g) = core.value(result).gradient;
    tensor_access::shape(g) = old_.shape();
    if constexpr (is_tensor<V>)
      if (tape.reaches(value_))
        tape.template add<gradient_shape::broadcasts>(value_, value_now(rebuilt(view_, g)));
    if (tape.reaches(old_)) {
      assign_elements<K>(through(view_, g), T{}, false);
      tape.template add<gradient_shape::exact>(old_, g);
    }
  }

  /// The ops of a view, applied to another tensor.
  template <class Op, class A> static auto rebuilt(expr<Op, K, A> const& v, tensor<T, X> const& t) {
    auto const inner = rebuilt(v.template arg<0>(), t);
    return expr<Op, K, bare<decltype(inner)>>{v.op, {}, inner};
  }
  static tensor<T, X> rebuilt(reference<T, X> const&, tensor<T, X> const& t) { return t; }
  template <class Op, class A> static auto through(expr<Op, K, A> const& v, tensor<T, X>& t) {
    auto const inner = through(v.template arg<0>(), t);
    return expr<Op, K, bare<decltype(inner)>>{v.op, {}, inner};
  }
  static reference<T, X> through(reference<T, X> const&, tensor<T, X>& t) { return view(t); }

 private:
  View view_;
  tensor<T, X> old_;
  V value_;
};

}}}  // namespace placement::v0_1::detail
