#pragma once
/// Shifts of integers. placement.hpp does not include this header.
/// In a stream expression `out << e` prints; `x << y` of two operands, or of an operand and a
/// number, shifts.

#include <placement/cpu/integer_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/update.hpp>

#include <climits>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

template <class V> concept integer_or_pack =
    std::integral<simd::element_of<V>> && !std::is_same_v<simd::element_of<V>, bool>;

namespace detail {

/// The bits of an integer type.
template <class T> inline constexpr int bits_in = static_cast<int>(sizeof(T)) * CHAR_BIT;

namespace no_adl {
struct shift_left {
  template <class V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, int bits) const noexcept {
    if constexpr (std::integral<V>) return static_cast<V>(as_unsigned(x) << bits);
    else return x << bits;
  }
};
struct shift_right {
  template <class V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, int bits) const noexcept {
    return static_cast<V>(x >> bits);
  }
};
}  // namespace no_adl
using no_adl::shift_left;
using no_adl::shift_right;

/// x shifted by n bits, and `out` where n is negative or at least the width of the type.
/// Packs are shifted once for each bit of n: processors without AVX2 shift all lanes alike.
template <class Shift, class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V shifted(V x, V n, V out) noexcept {
  using T = simd::element_of<V>;
  constexpr int width = bits_in<T>, bits_of_count = width == 8    ? 3
                                                    : width == 16 ? 4
                                                    : width == 32 ? 5
                                                                  : 6;
  if constexpr (std::integral<V>) {
    using U = decltype(as_unsigned(n));  // in which negative numbers are large
    return as_unsigned(n) < U{width} ? Shift{}(x, static_cast<int>(n)) : out;
  } else {
    auto const has = [&](int bits)
                         PLACEMENT_ALWAYS_INLINE { return (n & V(static_cast<T>(bits))) != V{}; };
    [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
      ((x = simd::select(has(1 << I), Shift{}(x, 1 << I), x)), ...);
    }(std::make_integer_sequence<int, bits_of_count>{});
    return simd::select(has(~(width - 1)), out, x);
  }
}

/// n where it is a number of bits of the type, else `out`.
template <class T> PLACEMENT_ALWAYS_INLINE constexpr int bits_or(T n, int out) noexcept {
  return as_unsigned(n) < decltype(as_unsigned(n)){bits_in<T>} ? static_cast<int>(n) : out;
}
/// Packs shifted by one number.
template <class V>
PLACEMENT_ALWAYS_INLINE inline V left_shifted(V const& x, simd::element_of<V> n) noexcept {
  using T = simd::element_of<V>;
  int const bits = bits_or(n, bits_in<T>), in_width = bits % bits_in<T>;
  return (x << in_width) & V(static_cast<T>(bits == in_width ? -1 : 0));
}
template <class V>
PLACEMENT_ALWAYS_INLINE inline V right_shifted(V const& x, simd::element_of<V> n) noexcept {
  using T = simd::element_of<V>;
  if constexpr (std::is_unsigned_v<T>) {
    int const bits = bits_or(n, bits_in<T>), in_width = bits % bits_in<T>;
    return (x >> in_width) & V(static_cast<T>(bits == in_width ? -1 : 0));
  } else if constexpr (sizeof(T) < 8) {
    return x >> bits_or(n, bits_in<T> - 1);
  } else {  // processors without AVX-512 shift no signs of 64 bits
    using U = std::make_unsigned_t<T>;
    int const bits = bits_or(n, bits_in<T> - 1);
    auto const sign = simd::bit_cast<U>(V(static_cast<T>((U{1} << (bits_in<T> - 1)) >> bits)));
    return simd::bit_cast<T>(((simd::bit_cast<U>(x) >> bits) ^ sign) - sign);
  }
}

}  // namespace detail

/// x * 2^n without the bits beyond the type, element by element. 0 where n is negative or at least
/// the width of the type, as in NumPy.
/// Shape: broadcast.  Type: integers; those of two types are promoted.
/// Kernels: CPU, GPU (pattern map).
struct left_shift_op {
  static constexpr std::string_view name = "LeftShift";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <class T> static constexpr detail::binary_loop<T> integer_loop = detail::left_shift_loop;
  static constexpr bool has_number_formula = true;
  template <class V>
  PLACEMENT_ALWAYS_INLINE static V by_number(V const& x, simd::element_of<V> n) noexcept {
    return detail::left_shifted(x, n);
  }
  template <detail::has_shift_loops T>
  static void array_loop(T* to, T const* x, T bits, index_t n) {
    using U = std::make_unsigned_t<T>;
    bool const fits = static_cast<U>(bits) < U{detail::bits_in<T>};
    if (fits) detail::shift_loops<T>::left(to, x, static_cast<int>(bits), n);
    else std::memset(to, 0, static_cast<std::size_t>(n) * sizeof(T));
  }
  template <integer_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V n) const noexcept {
    return detail::shifted<detail::shift_left>(x, n, V{});
  }
};
/// x / 2^n, rounded down, element by element. Where n is negative or at least the width of the
/// type, -1 for a negative x, else 0, as in NumPy.
/// Shape: broadcast.  Type: integers; those of two types are promoted.
/// Kernels: CPU, GPU (pattern map).
struct right_shift_op {
  static constexpr std::string_view name = "RightShift";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <class T>
  static constexpr detail::binary_loop<T> integer_loop = detail::right_shift_loop;
  static constexpr bool has_number_formula = true;
  template <class V>
  PLACEMENT_ALWAYS_INLINE static V by_number(V const& x, simd::element_of<V> n) noexcept {
    return detail::right_shifted(x, n);
  }
  template <detail::has_shift_loops T>
  static void array_loop(T* to, T const* x, T bits, index_t n) {
    using U = std::make_unsigned_t<T>;
    bool const fits = static_cast<U>(bits) < U{detail::bits_in<T>};
    if (fits || std::is_signed_v<T>)
      detail::shift_loops<T>::right(to, x, fits ? static_cast<int>(bits) : detail::bits_in<T> - 1,
                                    n);
    else std::memset(to, 0, static_cast<std::size_t>(n) * sizeof(T));
  }
  template <integer_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V n) const noexcept {
    using T = simd::element_of<V>;
    V out{};
    if constexpr (std::is_signed_v<T>) out = detail::shift_right{}(x, detail::bits_in<T> - 1);
    return detail::shifted<detail::shift_right>(x, n, out);
  }
};

template <class A, class B> requires operands<A, B>
auto operator<<(A&& a, B&& b) -> binary<left_shift_op, A, B> {
  return make_binary(left_shift_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto left_shift(A&& a, B&& b, site at = site::here()) -> binary<left_shift_op, A, B> {
  return make_binary(left_shift_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x << y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator<<=(X&& x, Y&& y) -> updated<X> {
  return update(x, x << std::forward<Y>(y));
}

template <class A, class B> requires operands<A, B>
auto operator>>(A&& a, B&& b) -> binary<right_shift_op, A, B> {
  return make_binary(right_shift_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
/// The same under a name, which knows its line.
template <class A, class B> requires operands<A, B>
auto right_shift(A&& a, B&& b, site at = site::here()) -> binary<right_shift_op, A, B> {
  return make_binary(right_shift_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x >> y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator>>=(X&& x, Y&& y) -> updated<X> {
  return update(x, x >> std::forward<Y>(y));
}

}}  // namespace placement::v0_1
