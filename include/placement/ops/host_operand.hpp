#pragma once
/// Operands of ops whose result's shape depends on values. Such ops compute on the host, at once.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/memory.hpp>
#include <placement/ops/sort.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The value of an operand. An expression is computed where it is placed.
template <operand E> auto value_of(E const& x, std::string_view op, site at) {
  using value = tensor<typename E::value_type, typename E::extents_type>;
  if constexpr (is_reference<E>) return static_cast<value>(target_now(x, op, at));
  else if constexpr (stored<E>) return static_cast<value>(x);
  else return value(x, at);
}
/// The same for a function that returns elements of x, and has no derivative.
/// Throws: invalid_argument if a gradient tape watches x.
template <operand E> auto undifferentiated(E const& x, std::string_view op, site at) {
  auto value = value_of(x, op, at);
  buffer const* const b = tensor_access::elements(value).get();
  if (gradients_here != nullptr && b != nullptr && gradients_here->watches(*b)) [[unlikely]]
    throw_no_derivative(op, at);
  return value;
}
/// The elements of an operand on the host. Cost: from a GPU one counted copy.
template <operand E> auto host_operand(E const& x, std::string_view op, site at) {
  return value_of(x, op, at).read(at);
}
/// The same for a function that returns elements of x, and has no derivative.
/// Throws: invalid_argument if a gradient tape watches x.
template <operand E> auto host_values(E const& x, std::string_view op, site at) {
  return undifferentiated(x, op, at).read(at);
}

/// A tensor with a copy of n elements, placed like the op Const.
template <class K, class T> tensor<T, dextents<1>> host_result(T const* data, index_t n, site at) {
  return copied_in<K>(data, dextents<1>{{n}}, at);
}

/// Room for n elements of a result. Throws: out_of_memory.
template <class T> host_scratch<T> host_room(index_t n, site at) {
  return host_scratch<T>(n, {"Const", at.file, at.line});
}
/// A tensor of the elements in `room`, placed like the op Const. On the CPU it takes over the
/// memory, unless something is to be logged.
template <class K, class T, class X>
tensor<T, X> host_result(host_scratch<T> room, X const& shape, site at) {
  expr<const_op<T, X>, K> const e{{room.data(), shape, {}}, at};
  requested_device const requested = request_of(e, no_pin{});
  bool const stays = e.from.name == label::none && runs_quietly_on_cpu0(requested, {}, true);
  if (!stays) return copied_in<K>(static_cast<T const*>(room.data()), shape, at);
  auto t = tensor_access::empty<tensor<T, X>>();
  tensor_access::elements(t) = room.release();
  tensor_access::requested(t) = requested.requested;
  tensor_access::shape(t) = shape;
  return t;
}

template <class X> constexpr void check_mask() {
  static_assert(std::is_same_v<typename bare<X>::value_type, bool>,
                "placement: a mask is of bools. Write a comparison: x > 0.");
}
template <class I> constexpr void check_indices() {
  static_assert(
      std::is_integral_v<typename bare<I>::value_type> &&
          !std::is_same_v<typename bare<I>::value_type, bool>,
      "placement: indices are integers. Write cast<int>(x), or flatnonzero(x) for a mask.");
}

}}}  // namespace placement::v0_1::detail
