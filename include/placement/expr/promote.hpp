#pragma once
/// Promotes operands of different integer types to the smallest type with the values of both, as in
/// NumPy.

#include <placement/fwd.hpp>
#include <placement/kernels/kernel_set.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// Converts x to a larger integer type; values do not change. Added by ops on operands of two
/// integer types.
/// Shape: unchanged.  Type: integers to larger ones.  Kernels: CPU, GPU (pattern map).
template <class To> struct promote_op {
  static constexpr std::string_view name = "Cast";
  using pattern = map;
  template <class T> PLACEMENT_HD constexpr To operator()(T x) const noexcept {
    return static_cast<To>(x);
  }
};

namespace detail {

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The smallest element type with all values of integer types A and B.
template <class A, class B> struct promoted_integers {
  static constexpr bool is_signed = std::is_signed_v<A> || std::is_signed_v<B>;
  /// The bytes of a type of that signedness with all values of T. An unsigned T needs one more bit
  /// in a signed type: no type has all values of int64 and uint64.
  template <class T>
  static constexpr std::size_t bytes_for =
      std::is_signed_v<T> == is_signed ? sizeof(T) : 2 * sizeof(T);
  static constexpr std::size_t bytes = bytes_for<A> > bytes_for<B> ? bytes_for<A> : bytes_for<B>;
  static constexpr bool exists = bytes <= 8;

  template <class One, class Two, class Four, class Eight>
  using of_bytes = std::conditional_t<
      bytes == 1, One,
      std::conditional_t<bytes == 2, Two, std::conditional_t<bytes == 4, Four, Eight>>>;
  using type =
      std::conditional_t<is_signed, of_bytes<std::int8_t, std::int16_t, std::int32_t, std::int64_t>,
                         of_bytes<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
};

template <class X> inline constexpr bool is_promotion = false;
template <class To, class K, class A>
inline constexpr bool is_promotion<expr<promote_op<To>, K, A>> = true;

}  // namespace detail
}}  // namespace placement::v0_1
