#pragma once
/// Integer arithmetic with stated results: signed overflow wraps, as it does in NumPy and
/// TensorFlow.

#include <placement/config.hpp>
#include <placement/math/float16.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// Real numbers that are computed with; bool is not one of them.
template <class T> concept wraps_or_rounds =
    any_number<T> && !std::is_same_v<T, bool> && !is_complex<T>;

/// An integer as an unsigned one at least as wide as unsigned int, where overflow is defined.
template <class T> PLACEMENT_HD constexpr auto as_unsigned(T x) noexcept {
  return static_cast<std::common_type_t<std::make_unsigned_t<T>, unsigned>>(x);
}

namespace detail {
/// The type of sums and products of integers and bool: int64, and uint64 for uint64.
template <class T>
using integer_result =
    std::conditional_t<std::is_unsigned_v<T> && sizeof(T) == 8, std::uint64_t, std::int64_t>;
/// The type in which sums and products of T are carried.
template <class T> struct carried_type {
  using type = double;
};
template <class T> requires std::is_integral_v<T>
struct carried_type<T> {
  using type = std::int64_t;
};
template <class T> requires is_complex<T>
struct carried_type<T> {
  using type = typename complex_math<T>::wide;
};
template <class T> using carried_in = typename carried_type<T>::type;
/// x in the type of such a sum, and a sum as an element.
template <class S, class T> PLACEMENT_HD constexpr S to_carried(T x) noexcept {
  if constexpr (is_complex<S>) return complex_math<S>::from(x);
  else return static_cast<S>(x);
}
}  // namespace detail

}}  // namespace placement::v0_1
