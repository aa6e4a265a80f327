#pragma once

#include <placement/math/log1p.hpp>
#include <placement/math/root.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// From here on a^2 + 1 and a^2 - 1 have the root a, beside which log(2 a) loses nothing.
template <class T> inline constexpr T end_of_roots = T(0x1p28);
template <> inline constexpr float end_of_roots<float> = 0x1p13f;

/// log(1 + t + rest) where `is_near`, for t >= 0 and a rest of the size of t's last digits; else
/// log(8 large).
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_sum(bits_of<V> is_near, V t, V rest,
                                                            V large) noexcept {
  using T = element_of<V>;
  V const u = select(is_near, V(1 + t), large), of_t = u - 1;
  V const lost = select(is_near, V((1 - (u - of_t)) + (t - of_t) + rest), V(0));
  auto const [k, m] = split_normal_at_root(u, select(is_near, V(0), V(-3)));
  V const f = m - 1, of_mantissa = lost * from_bits<V>(to_bits(m) - to_bits(u) + to_bits(T(1)));
  if constexpr (floats<V>) return log_of_parts(k, f, of_mantissa);
  else return log_of_parts(k, f, V(of_mantissa * (1 - f)));
}

/// The inverse of sinh: log(1 + a + a^2 / (1 + sqrt(1 + a^2))), and log(2 a) for large
/// a.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V asinh(V x) noexcept {
  using T = element_of<V>;
  constexpr T inf = static_cast<T>(__builtin_inff());
  V const a = magnitude(x);
  auto const is_near = below(a, end_of_roots<T>);
  V const b = select(is_near, a, V(0)), square = b * b;
  V const q = square / (1 + root_of_normal(V(1 + square))), sum = b + q;
  V const y = log_of_sum(is_near, sum, V((b - sum) + q), V(T(0.25) * a));
  return with_sign(select(below(a, inf), y, a), sign_of(x));
}

/// The inverse of cosh, for x >= 1, else NaN: log(1 + t + sqrt(t^2 + 2 t)) with t = x - 1. The
/// root's argument is a sum of two numbers, as the root is all of the result near 1.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V acosh(V x) noexcept {
  using T = element_of<V>;
  constexpr T inf = static_cast<T>(__builtin_inff()), none = static_cast<T>(__builtin_nanf(""));
  constexpr T least = from_bits<T>(bits_of<T>{1} << format<T>::digits);
  V const t = x - 1;
  auto const is_less = negative(t);
  auto const is_near = below(magnitude(x), end_of_roots<T>) & ~is_less;
  V const b = select(is_near, t, V(0)), high = upper(b), low = b - high;
  V const square = upper(V(b * b)),
          of_square = ((high * high - square) + 2 * high * low) + low * low;
  V const twice = 2 * b, sum = twice + square, part = sum - twice;
  V const of_sum = ((twice - (sum - part)) + (square - part)) + of_square;
  V const root = root_of_normal(sum), head = upper(root), tail = root - head;
  V const error = ((sum - head * head) - 2 * head * tail) - tail * tail;
  V const of_root = (error + of_sum) / (2 * root + least), more = root + of_root, all = more + b;
  V const rest = ((more - all) + b) + ((root - more) + of_root);
  V const y = log_of_sum(is_near, all, rest, V(T(0.25) * x));
  V const at_ends = from_bits<V>(to_bits(x) | (is_less & to_bits(none)));
  return select(below(magnitude(x), inf) & ~is_less, y, at_ends);
}

/// The inverse of tanh, for x from -1 to 1, else NaN: half of log(1 + 2 a / (1 - a)).
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atanh(V x) noexcept {
  using T = element_of<V>;
  constexpr T none = static_cast<T>(__builtin_nanf(""));
  V const a = magnitude(x), down = 1 - a, of_down = (1 - down) - a, t = 2 * a / down;
  V const high = upper(t), low = t - high, head = upper(down), tail = down - head;
  V const error = ((2 * a - high * head) - (high * tail + low * head)) - low * tail;
  V const rest = (error - t * of_down) / down;
  V const y = T(0.5) * log_of_sum(bits_of<V>(~bits_of<T>{}), t, rest, t);
  V const at_ends = from_bits<V>(to_bits(t) | (negative(down) & to_bits(none)));
  return with_sign(select(below(a, T(1)), y, at_ends), sign_of(x));
}

}}}  // namespace placement::v0_1::math
