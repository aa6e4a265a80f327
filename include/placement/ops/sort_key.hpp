#pragma once
/// Unsigned numbers in the order of elements, by which these are sorted.

#include <placement/cpu/sort_keys.hpp>
#include <placement/math/float16.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// In ascending order: NaN last, -0 before 0.
template <class T> struct sort_key {
  using type = std::conditional_t<sizeof(T) == 8, key64, key32>;
  using wide = std::conditional_t<sizeof(T) == 8, double, float>;
  static constexpr int sign = 8 * sizeof(type) - 1;
  static constexpr type top = type{1} << sign;

  static type of(T x) {
    if constexpr (real_number<T>)
      return x != x ? of_bits(std::numeric_limits<wide>::quiet_NaN())
                    : of_bits(static_cast<wide>(x));
    else if constexpr (std::is_signed_v<T>) {
      using same_size = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
      return static_cast<type>(static_cast<same_size>(x)) ^ top;
    } else {
      return static_cast<type>(x);
    }
  }
  /// The key from which element() gives the bits of x, also those of a NaN.
  static type of_bits(wide x) {
    auto const bits = std::bit_cast<type>(x);
    return bits ^ ((type{0} - (bits >> sign)) | top);  // without a branch
  }
  /// Equal elements have equal keys: -0 has that of 0.
  static type of_value(T x) {
    if constexpr (real_number<T>) return of(x == T{} ? T{} : x);
    else return of(x);
  }
  static T element(type k) {
    if constexpr (real_number<T>) {
      return static_cast<T>(std::bit_cast<wide>(k ^ (((k >> sign) - 1) | top)));
    } else if constexpr (std::is_signed_v<T>) {
      using same_size = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
      return static_cast<T>(static_cast<same_size>(k ^ top));
    } else {
      return static_cast<T>(k);
    }
  }
};
/// In descending order, but NaN last.
template <class T> struct descending_key {
  using type = typename sort_key<T>::type;
  using wide = typename sort_key<T>::wide;

  static type of(T x) { return x != x ? static_cast<type>(~type{0}) : ~sort_key<T>::of(x); }
  static type of_value(T x) {
    return x != x ? static_cast<type>(~type{0}) : ~sort_key<T>::of_value(x);
  }
  static type of_bits(wide x) { return ~sort_key<T>::of_bits(x); }
  static T element(type k) { return sort_key<T>::element(~k); }
};

/// Of complex numbers: by the real part, then by the imaginary one.
template <class T> requires(is_complex<T> && sizeof(T) == 8)
struct sort_key<T> {
  using type = key64;
  using part = sort_key<float>;

  static type of_value(T x) {
    return type{part::of_value(x.real())} << 32 | part::of_value(x.imag());
  }
  static T element(type k) {
    return {part::element(static_cast<key32>(k >> 32)), part::element(static_cast<key32>(k))};
  }
};

/// The first of sorted keys, from p to end, that is not below k, or with `after` above it.
template <class K> K* first_from(K* p, K* end, K k, bool after) {
  while (p != end) {
    K* const middle = p + (end - p) / 2;
    if (*middle < k || (after && *middle == k)) p = middle + 1;
    else end = middle;
  }
  return p;
}
/// n sorted keys, the first of `all`, in which zeros and NaN get the order and the bits that they
/// had: -0 and 0 are equal, and so are NaN. `at(i)`: element i before it was sorted.
template <class Key, class T, class At>
void restore_equal(typename Key::type* sorted, index_t n, index_t all, At const& at) {
  if constexpr (real_number<T>) {
    using wide = typename Key::wide;
    auto const put = [&](auto* from, auto const* to, auto const& takes) {
      for (index_t i = 0; from != to; ++i)
        if (T const x = at(i); takes(x)) *from++ = Key::of_bits(static_cast<wide>(x));
    };
    auto const one = Key::of(T{}), other = Key::of(-T{});
    auto const low = one < other ? one : other, high = one < other ? other : one;
    auto* const end = sorted + n;
    auto* const zeros = first_from(sorted, end, low, false);
    auto* const after = first_from(zeros, end, high, true);
    auto* const nan = first_from(after, end, Key::of(std::numeric_limits<T>::quiet_NaN()), false);
    if (zeros != after && (n != all || (*zeros == low && after[-1] == high)))
      put(zeros, after, [](T x) { return x == T{}; });
    put(nan, end, [](T x) { return x != x; });
  }
}

}}}  // namespace placement::v0_1::detail
