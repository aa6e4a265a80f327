#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The ends of integer type To, and as floating point, exactly, the first and what is past the
/// last. Data, which device code may read, where it may not call std::numeric_limits.
template <class To, class T> struct integer_ends {
  static constexpr To lowest = std::numeric_limits<To>::min();
  static constexpr To highest = std::numeric_limits<To>::max();
  static constexpr T first = static_cast<T>(lowest);
  static constexpr T past = T{2} * static_cast<T>(highest / 2 + 1);
};
}  // namespace detail

/// x as an element of type To, element by element. Floating point to integer drops the fraction;
/// beyond the ends of To it is the nearer end, and 0 for NaN. Integer to integer wraps; to bool is
/// x != 0.
/// Shape: unchanged.  Type: any to any.  Kernels: CPU, GPU (pattern map).
template <element To> struct cast_op {
  static constexpr std::string_view name = "Cast";
  using pattern = map;
  static constexpr bool takes_packs = !is_complex<To>;
  static void array_loop(std::int32_t* to, float const* x, index_t n)
      requires std::is_same_v<To, std::int32_t>
  {
    detail::cast_loops::to_int(to, x, n);
  }
  template <element_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x) const noexcept {
    using T = simd::element_of<V>;
    if constexpr (is_complex<To>) {
      return detail::complex_math<To>::from(widened(x));
    } else if constexpr (is_complex<T>) {
      return !detail::complex_math<T>::equal(x, T{});  // to bool alone, as cast() checks
    } else if constexpr (std::is_same_v<To, bool>) {
      return x != V{};
    } else if constexpr (real_number<T> && std::is_integral_v<To>) {
      using ends = detail::integer_ends<To, computed_in<T>>;
      auto const wide = widened(x);
      using W = std::remove_const_t<decltype(wide)>;
      auto const fits = wide > W(ends::first) && wide < W(ends::past);
      auto const whole = simd::convert<To>(simd::select(fits, wide, W{}));  // 0 for NaN
      using R = std::remove_const_t<decltype(whole)>;
      return simd::select(wide <= W(ends::first), R(ends::lowest),
                          simd::select(wide >= W(ends::past), R(ends::highest), whole));
    } else {
      return simd::convert<To>(widened(x));
    }
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return cast<typename bare<decltype(x)>::value_type>(g);
  }
};
/// `cast<float>(x)`.
template <element To, operand X> auto cast(X&& x, site at = site::here()) -> unary<cast_op<To>, X> {
  static_assert(
      !is_complex<typename bare<X>::value_type> || is_complex<To> || std::is_same_v<To, bool>,
      "placement: this cast would drop the imaginary part. Write real(x), imag(x) or abs(x).");
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
