#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/where.hpp>

#include <limits>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {
namespace no_adl {
/// The bounds of T. Data, which device code may read, where it may not call std::numeric_limits.
template <class T> struct finite_numbers {
  static constexpr computed_in<T> highest =
      static_cast<computed_in<T>>(std::numeric_limits<T>::max());
  static constexpr computed_in<T> lowest =
      static_cast<computed_in<T>>(std::numeric_limits<T>::lowest());
};
}  // namespace no_adl
using no_adl::finite_numbers;
}  // namespace detail

/// What takes the place of NaN and of infinities.
struct numbers_for {
  double nan = 0;
  double posinf = std::numeric_limits<double>::infinity();   ///< the largest number of the type
  double neginf = -std::numeric_limits<double>::infinity();  ///< the lowest number of the type
};
/// x with numbers in place of NaN and infinities, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct nan_to_num_op {
  static constexpr std::string_view name = "NanToNum";
  using pattern = map;
  static constexpr bool takes_packs = true;

  numbers_for by;
  float nan, posinf, neginf;  ///< the same as float, as a loop would convert them for each element

  constexpr nan_to_num_op(numbers_for const& n = {}) noexcept
      : by{as<double>(n.nan), as<double>(n.posinf), as<double>(n.neginf)},
        nan(as<float>(n.nan)),
        posinf(as<float>(n.posinf)),
        neginf(as<float>(n.neginf)) {}

  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    using T = simd::element_of<V>;
    if constexpr (std::is_same_v<T, double>) return replaced(x, by.nan, by.posinf, by.neginf);
    else if constexpr (std::is_same_v<T, float>) return replaced(x, nan, posinf, neginf);
    else return replaced(x, as<T>(nan), as<T>(posinf), as<T>(neginf));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return where(x - x == 0, g, 0);
  }

 private:
  template <class V, class T>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD static constexpr V replaced(V x, T of_nan, T of_high,
                                                                   T of_low) noexcept {
    V const number(of_nan), high(of_high), low(of_low);
    V const most(static_cast<T>(detail::finite_numbers<T>::highest)),
        least(static_cast<T>(detail::finite_numbers<T>::lowest));
    V const finite = simd::select(x > most, high, simd::select(x < least, low, x));
    return simd::select(x == x, finite, number);
  }
  /// The nearest number of T that is not infinite.
  template <class T> PLACEMENT_HD static constexpr T as(double number) noexcept {
    using finite = detail::finite_numbers<T>;
    if (number > static_cast<double>(finite::highest)) return static_cast<T>(finite::highest);
    if (number < static_cast<double>(finite::lowest)) return static_cast<T>(finite::lowest);
    return static_cast<T>(static_cast<computed_in<T>>(number));
  }
};
/// NumPy's nan_to_num: 0 for NaN, the largest and the lowest number of the type for infinities, or
/// those of `by`: `nan_to_num(x, {.nan = -1, .posinf = 1e6})`.
template <operand X>
auto nan_to_num(X&& x, numbers_for by = {}, site at = site::here()) -> unary<nan_to_num_op, X> {
  return {nan_to_num_op(by), at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
