#pragma once
/// Writing through a view: the right side is computed first, then its elements are put where the
/// view says.

#include <placement/expr/destination.hpp>
#include <placement/expr/launch.hpp>

namespace placement::inline v0_1::detail {

/// The tensor whose memory a view names, and where in it the view's elements lie.
template <class T, class X> tensor<T, X>& target_of(reference<T, X> const& r) { return r.target(); }
template <class Op, class K, class A> auto& target_of(expr<Op, K, A> const& v) {
  return target_of(v.template arg<0>());
}
template <class T, class X> auto target_layout(reference<T, X> const& r) {
  return row_major(r.shape());
}
template <class Op, class K, class A> auto target_layout(expr<Op, K, A> const& v) {
  return v.op.moved(target_layout(v.template arg<0>()), v.template arg<0>().shape());
}

/// The op of an assignment through a view.
struct assign_op {
  static constexpr std::string_view name = "Assign";
  using pattern = map;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_assignment(std::string const& to,
                                                                     std::string const& from) {
  throw shape_error("placement: a value of shape " + from +
                    " cannot be written to a view of shape " + to +
                    ". Its extents must be those of the view, or 1.");
}

/// Writes a bound region of the view's shape. `given_up`: handles of the target that die with the
/// right side, for which no copy of the elements is kept.
template <class View, class F> void write_rows(View const& to, int given_up, F const& f) {
  using T = typename View::value_type;
  auto& target = target_of(to);
  buffer_ref& elements = tensor_parts::elements(target);
  if (!elements && target.size() != 0) moved_from();
  T* out = nullptr;
  if (elements && elements->owners() == 1 + given_up) out = static_cast<T*>(elements->data());
  else out = target.data();
  kernel<cpu_kernels, map, assign_op, T>::rows(out, target_layout(to), to.shape(), f);
}

/// Writes x through the view. `expiring`: x's own handles are given up with it.
/// Strong: when computing x throws, nothing was written. Cost: one temporary for the value of an
/// expression.
template <class View, class X> void assign_elements(View const& to, X const& x, bool expiring) {
  using T = typename View::value_type;
  if constexpr (number<X>) {
    using same = stored_t<X, View>;  // asserts that number and element type go together
    write_rows(to, 0, same{as_element<T>(x)});
  } else {
    static_assert(
        std::is_same_v<T, typename X::value_type>,
        "placement: the value has another element type than the view. Write cast<T>(...).");
    static_assert(X::extents_type::rank <= View::extents_type::rank,
                  "placement: the value has a higher rank than the view. Slice or reshape it.");
    auto const shape = to.shape();
    if (!(broadcast(x.shape(), shape) == shape))
      refuse_assignment(to_string(shape), to_string(x.shape()));
    auto value = tensor_parts::empty<tensor<T, typename X::extents_type>>();
    evaluate_into(value, x, false, {});
    buffer_ref& elements = tensor_parts::elements(value);
    if (elements &&
        elements->borrowed())  // written to by all who see it, so the value is no snapshot yet
      elements = copied_to(elements->where(), *elements.get());
    int const given_up =
        expiring && lazy<X> ? handles_of(x, tensor_parts::elements(target_of(to)).get()) : 0;
    kernel_facts facts;
    facts.root = assign_op::name;
    facts.at = this_scope.where;
    no_pin const free;
    operand_set<1, no_pin> set(target_of(to).where(), settings_here(), free, facts);
    lane<dense_leaf<T>, View::extents_type::rank> const source{
        {set.bring(value)}, as_shape(row_major(value.shape()), value.shape(), shape)};
    write_rows(to, given_up, source);
  }
}

}  // namespace placement::inline v0_1::detail
