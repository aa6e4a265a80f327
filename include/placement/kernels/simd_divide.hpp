#pragma once
/// Quotients and remainders, of numbers and of packs. Processors divide no vectors of integers.

#include <placement/kernels/simd_math.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

/// x / y without the remainder; 0 where y is 0; the lowest integer / -1 wraps.
template <std::integral T> PLACEMENT_HD constexpr T quotient(T x, T y) noexcept {
  if (y == T{}) return T{};
  if constexpr (std::is_signed_v<T>)
    if (y == T{-1}) return static_cast<T>(T{} - static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(x / y);
}
/// x - quotient(x, y) * y, with the sign of x; 0 where y is 0.
template <std::integral T> PLACEMENT_HD constexpr T remainder(T x, T y) noexcept {
  if (y == T{}) return T{};
  if constexpr (std::is_signed_v<T>)
    if (y == T{-1}) return T{};
  return static_cast<T>(x % y);
}

/// Of packs by a floating-point division, rounded towards 0; elements of 64 bits one by one. Exact:
/// a quotient that is not whole differs from whole numbers by one part in |x| or more. The
/// floating-point type has more digits than x.
template <std::integral T, int N, class R>
[[gnu::always_inline]] inline basic_pack<T, N, R> quotient(basic_pack<T, N, R> const& x,
                                                           basic_pack<T, N, R> const& y) noexcept {
  using V = basic_pack<T, N, R>;
  if constexpr (sizeof(T) == 8) {
    return by_lanes<T>([](T a, T b) noexcept { return quotient(a, b); }, x, y);
  } else {
    using real = std::conditional_t<sizeof(T) <= 2, float, double>;
    auto const no_divisor = y == V{};
    auto divisor = select(no_divisor, V(T{1}), y), q = V{};
    if constexpr (std::is_signed_v<T>) {
      auto const is_minus_one = y == V(T{-1});
      divisor = select(is_minus_one, V(T{1}), divisor);
      q = convert<T>(convert<real>(x) / convert<real>(divisor));
      q = select(is_minus_one, -x, q);
    } else {
      q = convert<T>(convert<real>(x) / convert<real>(divisor));
    }
    return select(no_divisor, V{}, q);
  }
}
template <std::integral T, int N, class R>
[[gnu::always_inline]] inline basic_pack<T, N, R> remainder(basic_pack<T, N, R> const& x,
                                                            basic_pack<T, N, R> const& y) noexcept {
  if constexpr (sizeof(T) == 8) {
    return by_lanes<T>([](T a, T b) noexcept { return remainder(a, b); }, x, y);
  } else {
    return select(y == basic_pack<T, N, R>{}, y, x - quotient(x, y) * y);
  }
}

namespace detail {

/// |x| modulo |y|, right where `near` is set: |x| < 2^24 |y|, both of ordinary size.
/// The multiple of y is rounded to nearest, so that both differences are exact.
template <class V> struct remainder_of {
  V r;
  bits_of<V> near;
};
template <math::doubles V>
[[gnu::always_inline]] inline remainder_of<V> near_remainder(V const& a, V const& b) noexcept {
  V const n = nearbyint(a / b), high = math::upper(b);
  V const r = (a - n * high) - n * (b - high);
  return {select(r < 0., r + b, r),
          ones_where<V>((a < b * 0x1p24) & (a < 0x1p1000) & (b < 0x1p1000))};
}

}  // namespace detail

/// std::fmod: exact. Lanes with a quotient of 2^24 or more are computed one by one.
template <class V> requires real_pack<V>
[[gnu::always_inline]] inline V fmod(V const& x, V const& y) noexcept {
  auto const [r, is_near] = [&]() __attribute__((always_inline)) {
    V const a = math::magnitude(x), b = math::magnitude(y);
    if constexpr (math::doubles<V>) {
      return detail::near_remainder(a, b);
    } else {
      auto const wide = detail::near_remainder(convert<double>(a), convert<double>(b));
      return detail::remainder_of<V>{convert<float>(wide.r), convert<std::uint32_t>(wide.near)};
    }
  }();
  V const signed_r = math::with_sign(r, math::sign_of(x));
  using T = typename V::element;
  return replace_lanes(signed_r, ~is_near, [](T n, T d) noexcept { return std::fmod(n, d); }, x, y);
}

}}}  // namespace placement::v0_1::simd
