#pragma once
/// Conversions and constructors that reject wrong programs with one sentence.
///
/// A missing conversion gives the compiler's own error, with up to hundreds of lines of candidates.
/// A declared one with an assertion gives our sentence, but traits and overload resolution see it:
/// std::is_convertible is true. So each conversion is declared only where users are likely to write
/// it:
/// - to bool explicitly (`if (x)`), and for bool elements implicitly (`bool same = a == b`), to
///   nothing but bool itself;
/// - to the element type for arrays of rank 0 (`float s = sum(a)`), and for tensors, which are
///   passed to functions of numbers (`std::exp(a)`).
///
/// Tensors of a higher rank convert to no other type than the element type, so that
/// `iterator + tensor` stays an error of the iterator. Expressions of a higher rank do not convert:
/// with overloads f(double) and f(tensor), f(a + b) must select the tensor.

#include <placement/fwd.hpp>
#include <placement/math/float16.hpp>

#include <concepts>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Depends on a template argument, so that an assertion fails only on instantiation.
template <class...> inline constexpr bool always_false = false;

/// The number type that an array of T converts to. An array of bool converts to none; its type is
/// double, which no conversion of it uses.
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
                  "item(sum(x)). Include placement/ops/bitwise.hpp for &, |, ^, ~, << and >>.");
  return {};
}

/// The shape type of `tensor(2, 3)`; that of `tensor<float>` is no_shape.
struct extents_as_arguments;
template <class X> concept rejected_shape =
    std::same_as<X, no_shape> || std::same_as<X, extents_as_arguments>;

/// `Dependent`: the type whose constructor is rejected.
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

}}}  // namespace placement::v0_1::detail
