#pragma once
/// Unsigned numbers in the order of elements, by which these are sorted.

#include <placement/cpu/sort_keys.hpp>
#include <placement/math/float16.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// In ascending order: NaN last, -0 before 0.
template <class T> struct sort_key {
  using type = std::conditional_t<sizeof(T) == 8, key64, key32>;
  static constexpr int sign = 8 * sizeof(type) - 1;
  static constexpr type top = type{1} << sign;

  static type of(T x) {
    if constexpr (real_number<T>) {
      using wide = std::conditional_t<sizeof(T) == 8, double, float>;
      auto const bits = std::bit_cast<type>(x != x ? std::numeric_limits<wide>::quiet_NaN()
                                                   : static_cast<wide>(x));
      return bits ^ ((type{0} - (bits >> sign)) | top);  // without a branch
    } else if constexpr (std::is_signed_v<T>) {
      using same_size = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
      return static_cast<type>(static_cast<same_size>(x)) ^ top;
    } else {
      return static_cast<type>(x);
    }
  }
  /// Equal elements have equal keys: -0 has that of 0.
  static type of_value(T x) {
    if constexpr (real_number<T>) return of(x == T{} ? T{} : x);
    else return of(x);
  }
  static T element(type k) {
    if constexpr (real_number<T>) {
      using wide = std::conditional_t<sizeof(T) == 8, double, float>;
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

  static type of(T x) { return x != x ? static_cast<type>(~type{0}) : ~sort_key<T>::of(x); }
  static type of_value(T x) {
    return x != x ? static_cast<type>(~type{0}) : ~sort_key<T>::of_value(x);
  }
  static T element(type k) { return sort_key<T>::element(~k); }
};

/// Sorted keys of elements whose zeros keep their order: -0 and 0 are equal. `at(i)`: element i
/// before it was sorted.
template <class Key, class T, class At>
void restore_zeros(typename Key::type* sorted, index_t n, At const& at) {
  if constexpr (real_number<T>) {
    auto const one = Key::of(T{}), other = Key::of(-T{});
    auto const low = one < other ? one : other, high = one < other ? other : one;
    auto* const zeros = std::lower_bound(sorted, sorted + n, low);
    if (zeros == sorted + n || *zeros != low) return;
    auto* const end = std::upper_bound(zeros, sorted + n, high);
    if (end[-1] == low) return;
    for (index_t i = 0, k = 0; k != end - zeros; ++i)
      if (T const x = at(i); x == T{}) zeros[k++] = Key::of(x);
  }
}

}}}  // namespace placement::v0_1::detail
