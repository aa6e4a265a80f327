#pragma once
/// Positions in a sorted vector. placement.hpp does not include this header.

#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/strided_view.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// Where searchsorted puts equal elements: before them, or behind.
enum class side { left, right };

/// The position of each value in a sorted vector.
struct searchsorted_op {
  static constexpr std::string_view name = "SearchSorted";
  using pattern = custom;
  using gpu_lowering = lowered::searchsorted;
  template <class> static constexpr bool has_gpu_kernel = true;
  using value_type = std::int64_t;
  static constexpr int cost_per_element = 16;

  side equal = side::left;

  constexpr bool is_right() const { return equal == side::right; }

  template <class X, class V> constexpr V result(X const&, V const& values) const {
    static_assert(X::rank == 1, "placement: searchsorted takes a sorted vector.");
    return values;
  }
  template <class T, class X, class V>
  void operator()(dense_view<std::int64_t, V> out, dense_view<T const, X> sorted,
                  dense_view<T const, V> values) const noexcept {
    for (index_t i = 0; i != values.size(); ++i) {
      T const x = values[i];
      if (x != x)
        out[i] = equal == side::left ? position(sorted, [](T s) { return s == s; }) : sorted.size();
      else if (equal == side::left) out[i] = position(sorted, [x](T s) { return s < x; });
      else out[i] = position(sorted, [x](T s) { return s <= x; });
    }
  }

 private:
  /// How many elements are before: those for which `before` holds come first.
  template <class T, class X, class Before>
  static index_t position(dense_view<T, X> const& sorted, Before const& before) {
    T const *const begin = sorted.data, *first = begin;
    index_t n = sorted.size();
    while (n > 1) {  // without a branch that random values mispredict
      index_t const half = n / 2;
      first += before(first[half - 1]) * half;
      n -= half;
    }
    return first - begin + (n == 1 && before(*first) ? 1 : 0);
  }
};
/// How many elements of a sorted vector are less than each value, or with side::right not greater:
/// where it could be inserted. NaN is the greatest. The vector is not checked to be sorted.
/// Shape: that of the values.  Type: any, the same for both -> int64.
/// Kernels: CPU, GPU (pattern custom).  Cost: log2 n steps a value.
template <operand X, operand V>
auto searchsorted(X&& sorted, V&& values, side equal = side::left, site at = site::here())
    -> node<searchsorted_op, X, V> {
  static_assert(
      std::is_same_v<typename bare<X>::value_type, typename bare<V>::value_type>,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  return {{equal}, at, std::forward<X>(sorted), std::forward<V>(values)};
}

}}  // namespace placement::v0_1
