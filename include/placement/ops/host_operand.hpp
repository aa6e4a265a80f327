#pragma once
/// Operands of ops whose result's shape depends on values. Such ops compute on the host, at once.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/memory.hpp>
#include <placement/ops/sort.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The elements of an operand on the host. An expression is computed where it is placed. Cost: from
/// a GPU one counted copy.
template <operand E> auto host_operand(E const& x, std::string_view op, site at) {
  if constexpr (is_reference<E>) return target_now(x, op, at).read(at);
  else if constexpr (stored<E>) return x.read(at);
  else return evaluate(x, at).read(at);
}

/// The same for a function that returns elements of x, and has no derivative.
/// Throws: invalid_argument if a gradient tape watches x.
template <operand E> auto host_values(E const& x, std::string_view op, site at) {
  tensor<typename E::value_type, typename E::extents_type> const value = x;
  buffer const* const b = tensor_access::elements(value).get();
  if (gradients_here != nullptr && b != nullptr && gradients_here->watches(*b)) [[unlikely]]
    throw_no_derivative(op, at);
  return value.read(at);
}

/// A tensor with a copy of n elements, placed like the op Const.
template <class K, class T> tensor<T, dextents<1>> host_result(T const* data, index_t n, site at) {
  return copied_in<K>(data, dextents<1>{{n}}, at);
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
