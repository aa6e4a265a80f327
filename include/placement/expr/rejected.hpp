#pragma once
/// Conversions and constructors for programs that are wrong: each is rejected with one sentence.
///
/// A conversion that is not declared gives the compiler's own error, up to hundreds of lines of
/// candidates. One that is declared and asserts gives ours, but traits and overload resolution see
/// it: is_convertible says yes. So each is declared where it is likely meant, and no further:
/// - to bool explicitly (`if (x)`), and for elements of bool implicitly (`bool same = a == b`), to
///   nothing but bool itself;
/// - to the element type for arrays of rank 0 (`float s = sum(a)`) and for tensors, which a
///   function of numbers is called with (`std::exp(a)`); for tensors of a higher rank to that type
///   alone, so that `iterator + tensor` stays an error of the iterator's. Not for expressions of a
///   higher rank: where f(double) and f(tensor) are overloaded, f(a + b) is to find the tensor.

#include <placement/fwd.hpp>
#include <placement/math/float16.hpp>

#include <concepts>
#include <type_traits>

namespace placement::inline v0_1::detail {

/// Depends on a template's argument, so that an assertion waits for its instantiation.
template <class...> inline constexpr bool always_false = false;

/// What an array of T is converted to as a number; of bool it is none.
template <class T>
using number_of = std::conditional_t<std::is_same_v<T, bool>, double, computed_in<T>>;

template <class N> concept integer = std::integral<N> && !std::same_as<N, bool>;

template <class E> constexpr bool reject_bool() {
  if constexpr (E::rank == 0)
    static_assert(always_false<E>, "placement: an array is no bool. Write item(x).");
  else
    static_assert(
        always_false<E>,
        "placement: an array is no bool. Write item(all(x)) or item(any(x)), or choose by element "
        "with where(x, y, z).");
  return false;
}
template <class E> constexpr number_of<typename E::value_type> reject_number() {
  if constexpr (E::rank == 0)
    static_assert(always_false<E>,
                  "placement: an array is no number. Write item(x), as in item(sum(a)).");
  else
    static_assert(always_false<E>,
                  "placement: an array is no number. Write placement::exp(x), not std::exp(x), or "
                  "item(sum(x)).");
  return {};
}

/// The shape of `tensor(2, 3)`; that of `tensor<float>` is no_shape.
struct extents_as_arguments;
template <class X> concept rejected_shape =
    std::same_as<X, no_shape> || std::same_as<X, extents_as_arguments>;

/// Dependent: the type of which this rejects a constructor.
template <rejected_shape X, class... Dependent> constexpr bool reject_shape() {
  static_assert(!std::same_as<X, extents_as_arguments>,
                "placement: a tensor is not made from its extents. Write zeros<float>(2, 3), or "
                "tensor{2, 3} for a vector of these elements.");
  static_assert(
      !std::same_as<X, no_shape>,
      "placement: tensor<T> says no shape. Write tensor<float, dextents<2>> for two dimensions, or "
      "tensor t = x, which has the shape of x.");
  return true;
}

}  // namespace placement::inline v0_1::detail
