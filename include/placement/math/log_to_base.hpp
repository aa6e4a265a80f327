#pragma once

#include <placement/math/log.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// 1 / log(B) and log(2) / log(B), both in two parts. The first parts are so short that products
/// with upper(x) and with a small whole number are exact.
template <class T, int B> struct base_of_log;
template <> struct base_of_log<double, 2> {
  static constexpr double high = 0x1.715476p+0, low = 0x1.4ae0bf85ddf44p-26, two = 1, two_low = 0;
};
template <> struct base_of_log<float, 10> {
  static constexpr float high = 0x1.bcap-2f, low = 0x1.7b1526p-14f;
  static constexpr float two = 0x1.344p-2f, two_low = 0x1.3509f8p-18f;
};
template <> struct base_of_log<double, 10> {
  static constexpr double high = 0x1.bcb7b1p-2, low = 0x1.49b9438ca9aaep-28;
  static constexpr double two = 0x1.34413509f6p-2, two_low = 0x1.9fef311f12b36p-42;
};

/// log2(1 + f) / f for sqrt(1/2) <= 1 + f < sqrt(2). Source: a minimax fit, 2^-26.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log2_ratio(V f) noexcept {
  auto const by = [](auto const& sum) PLACEMENT_ALWAYS_INLINE {
    return sum(-0x1.71547p-1f, 0x1.ec7144p-2f, -0x1.715b18p-2f, 0x1.27655ap-2f, -0x1.ea8212p-3f,
               0x1.a5b6ap-3f, -0x1.8b4f7ap-3f, 0x1.709a16p-3f, -0x1.94aa34p-4f);
  };
  auto const tail = by([f](auto... c) PLACEMENT_ALWAYS_INLINE {
    if (is_fused()) return polynomial_by_twos(f, V(f * f), c...);
    return polynomial(f, c...);
  });
  return multiply_add(f, tail, V(0x1.715476p0f));
}
/// The logarithm to base B of 2^k (1 + f). log(1 + f) is a sum of two numbers, whose first has half
/// of the digits. Source: as fdlibm's log2 and log10.
template <int B, class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_to_base_of_parts(V k, V f) noexcept {
  using T = element_of<V>;
  if constexpr (B == 2 && floats<V>) {
    return multiply_add(f, log2_ratio(f), k);
  } else {
    using base = base_of_log<T, B>;
    V const half = T(0.5) * f * f, head = upper(V(f - half));
    V const rest = ((f - head) - half) + log_tail(f, half);
    V const first = head * base::high, whole = k * base::two, sum = whole + first;
    V low = (rest + head) * base::low + rest * base::high;
    if constexpr (B != 2) low = low + k * base::two_low;
    return sum + (((whole - sum) + first) + low);
  }
}
/// The logarithm to base 2 of 2^k (1 + f) with fused multiply-add, of double.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log2_of_parts_by_fused(V k, V f) noexcept {
  constexpr double inverse = 0x1.71547652b82fep+0;  // 1 / ln 2
  auto const [s, rest] = log_quotient_by_fused(f);
  return k + fused(f, V(inverse), V(s * rest * -inverse));
}
/// The same with or without it.
template <int B, class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_to_base_of_split(V k, V f) noexcept {
  if constexpr (B == 2 && doubles<V>)
    if (is_fused()) return log2_of_parts_by_fused(k, f);
  return log_to_base_of_parts<B>(k, f);
}
template <int B, class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_log_to_base(V x) noexcept {
  auto const [k, m] = split_normal_at_root(x, V(0));
  return log_to_base_of_split<B>(k, V(m - 1));
}
/// log2 of a positive normal number, of double with fused multiply-add.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_log2_by_fused(V x) noexcept {
  auto const [k, m] = split_normal_at_root(x, V(0));
  if constexpr (doubles<V>) return log2_of_parts_by_fused(k, V(m - 1));
  else return log_to_base_of_parts<2>(k, V(m - 1));
}
/// The logarithm to base B. A pack tests once for numbers without one, and for denormal numbers.
template <int B, class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_to_base(V x) noexcept {
  auto const of_any = [&]() PLACEMENT_ALWAYS_INLINE {
    auto const [k, m] = split_at_root(x);
    return where_log_is(x, log_to_base_of_split<B>(k, V(m - 1)));
  };
  if constexpr (one_number<V>) return of_any();
  else return replace_where(near_log_to_base<B>(x), no_positive_normal(x), of_any);
}

/// The logarithms to base 2, exact for powers of two, and to base 10.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log2(V x) noexcept {
  return log_to_base<2>(x);
}
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log10(V x) noexcept {
  return log_to_base<10>(x);
}

}}}  // namespace placement::v0_1::math
