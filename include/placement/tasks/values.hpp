#pragma once
/// Values that consist of tensors: a tensor, or a tuple, pair, array or vector of values.

#include <placement/expr/gradient_recorder.hpp>
#include <placement/expr/tensor.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

template <class V> inline constexpr bool is_tuple_value = false;
template <class... V> inline constexpr bool is_tuple_value<std::tuple<V...>> = true;
template <class A, class B> inline constexpr bool is_tuple_value<std::pair<A, B>> = true;
template <class V, std::size_t N> inline constexpr bool is_tuple_value<std::array<V, N>> = true;
template <class V> inline constexpr bool is_vector_value = false;
template <class V, class A> inline constexpr bool is_vector_value<std::vector<V, A>> = true;

template <class V> struct tensor_value {
  static_assert(is_tuple_value<V> || is_vector_value<V> || operand<V>,
                "placement: a value of tasks is a tensor, or a tuple, pair, array or vector of "
                "them. Return tensor(x) for a number x.");
  using type = V;
};
template <operand E> struct tensor_value<E> {
  using type = tensor<typename E::value_type, typename E::extents_type>;
};
/// V with tensors in place of expressions.
template <class V> using tensor_value_t = typename tensor_value<V>::type;

/// Calls f(x...) for the tensors of values of one form. Throws: shape_error for vectors of
/// different lengths.
template <class F, class V, class... More> void for_each_tensor(F const& f, V& v, More&... more) {
  if constexpr (is_tuple_value<std::remove_const_t<V>>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      [[maybe_unused]] auto const one = [&]<class Index>(Index) {
        for_each_tensor(f, std::get<Index::value>(v), std::get<Index::value>(more)...);
      };
      (one(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<V>>>{});
  } else if constexpr (is_vector_value<std::remove_const_t<V>>) {
    if (((more.size() != v.size()) || ...))
      throw shape_error("placement: the tasks return different numbers of tensors.");
    for (std::size_t i = 0; i != v.size(); ++i) for_each_tensor(f, v[i], more[i]...);
  } else {
    f(v, more...);
  }
}

/// The value as a tensor, and its elements. Throws: shape_error if it was moved from;
/// invalid_argument if a gradient tape watches it.
template <operand E> tensor_value_t<E> task_operand(E const& x, std::string_view op, site at) {
  tensor_value_t<E> t = x;
  buffer const* const b = tensor_access::elements(t).get();
  if (b == nullptr && t.size() != 0) moved_from(op, at);
  throw_if_watched(b, op, at);
  return t;
}

}}}  // namespace placement::v0_1::detail
