#pragma once
/// Angles as quarter turns and a rest, for sin and cos.

#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// x = quarters * pi / 2 + r + rest, |r| up to about pi / 4. quarters: its last two bits count.
template <class V> struct reduced_angle {
  bits_of<V> quadrant;
  V r, rest;
};

/// Any float, in double. 2 / pi is in parts of 28 bits, so that products with x are exact. Digits
/// that give whole turns are left out: x's size chooses one of five sets of digits.
/// Source: Payne, Hanek: Radian reduction for trigonometric functions (1983).
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_large_angle(V x) noexcept {
  auto const wide = convert<double>(x), a = magnitude(wide);
  using D = std::remove_const_t<decltype(wide)>;  // doubles
  constexpr double magic = format<double>::magic;
  auto const from_26 = ~below(a, 0x1p26), from_52 = ~below(a, 0x1p52);
  auto const from_78 = ~below(a, 0x1p78), from_104 = ~below(a, 0x1p104);
  auto const digits = [&](double near, double d26, double d52, double d78, double d104) {
    return select(
        from_104, D(d104),
        select(from_78, D(d78), select(from_52, D(d52), select(from_26, D(d26), D(near)))));
  };
  D const first = wide * digits(0x1.45f306cp-1, 0x1.17cc1b4p-3, 0x1.c9c8828p-29, 0x1.4a7f09cp-54,
                                0x1.57d1f52p-80);
  D const second = wide * digits(0x1.c9c882ap-29, 0x1.9391054p-30, 0x1.29fc274p-56, 0x1.5f47d4cp-82,
                                 0x1.4ddc0dap-108);
  D const third = wide * digits(0x1.4fe13abe8fa9ap-59, 0x1.4fe13abe8fa9ap-59, 0x1.7d1f534ddc0dbp-84,
                                0x1.377036d8a5665p-110, 0x1.6295993c43904p-136);
  D const n = first + magic, more = (first - (n - magic)) + second, m = (more + third) + magic;
  D const part = (more - (m - magic)) + third;
  D const angle = part * 0x1.921fb54442d18p+0;
  V const r = convert<float>(angle);
  return {convert<std::uint32_t>(to_bits(n) + to_bits(m)), r,
          convert<float>(D(angle - convert<double>(r)))};
}

/// Up to this size reduce_angle of double is branch-free, and that of float needs no double.
inline constexpr double max_small_angle = 0x1p26;
inline constexpr float max_small_angle_of_float = 0x1p10f;

/// For |x| <= max_small_angle, with fused multiply-add. The first difference is exact. The product
/// with the next part of pi / 2, which has 27 bits, is exact, so that the second loses nothing to r
/// and rest. Source: Cody, Waite (1980), 8.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_by_fused(V x) noexcept {
  constexpr double magic = format<double>::magic;
  V const k = multiply_add(x, V(0x1.45f306dc9c883p-1), V(magic)), n = k - magic;
  V const first = fused(n, V(-0x1.921fb54442d18p+0), x), part = V(-0x1.1a62634p-54);
  V const r = fused(n, part, first);
  return {to_bits(k), r, fused(n, V(0x1.d747f23e32ed7p-83), V(fused(n, part, V(first - r))))};
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_in_two_by_fused(
    V x) noexcept {
  return reduce_by_fused(x);
}
/// The same of float, for |x| <= max_small_angle_of_float; 2 / pi to 24 digits, and a next part of
/// 14 bits.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_in_two_by_fused(
    V x) noexcept {
  constexpr float magic = format<float>::magic;
  V const k = multiply_add(x, V(0x1.45f306p-1f), V(magic)), n = k - magic;
  V const first = fused(n, V(-0x1.921fb6p+0f), x), part = V(0x1.7778p-25f);
  V const r = fused(n, part, first);
  return {to_bits(k), r, fused(n, V(0x1.2e7b96p-40f), V(fused(n, part, V(first - r))))};
}
/// The same with an r that errs by an ulp at most, and no rest: sin and cos of float read none.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_by_fused(V x) noexcept {
  constexpr float magic = format<float>::magic;
  V const k = multiply_add(x, V(0x1.45f306p-1f), V(magic)), n = k - magic;
  V const r = fused(n, V(0x1.777a5cp-25f), V(fused(n, V(-0x1.921fb6p+0f), x)));
  return {to_bits(k), fused(n, V(0x1.ee59dap-50f), r), V(0)};
}

/// The same with or without fused multiply-add: pi / 2 in parts of at most 27 bits, so that
/// products with the number of quarters are exact, and the differences are, too.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_small_angle(V x) noexcept {
  if (is_fused()) return reduce_by_fused(x);
  constexpr double magic = format<double>::magic;
  V const k = multiply_add(x, V(0x1.45f306dc9c883p-1), V(magic)), n = k - magic;
  V const head = (x - n * 0x1.921fb54p+0) - n * 0x1.10b46p-30, next = n * 0x1.1a6263p-54;
  V const mid = head - next, lost = (head - mid) - next;
  V const low = lost - n * 0x1.8a2e02p-81 - n * 0x1.707344a409382p-105, r = mid + low;
  return {to_bits(k), r, low - (r - mid)};
}

template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_small_angle(V x) noexcept {
  if (is_fused()) return reduce_by_fused(x);
  constexpr float magic = format<float>::magic;
  V const k = multiply_add(x, V(0x1.45f306p-1f), V(magic)), n = k - magic;
  V const head = (x - n * 0x1.921p+0f) - n * 0x1.f68p-13f, next = n * 0x1.444p-24f;
  V const mid = head - next, low = ((head - mid) - next) - n * 0x1.68c234p-39f, r = mid + low;
  return {to_bits(k), r, low - (r - mid)};
}

/// The same with a rest, for tan.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<V> reduce_small_angle_in_two(
    V x) noexcept {
  if (is_fused()) return reduce_in_two_by_fused(x);
  return reduce_small_angle(x);
}

/// Not 0 where |x| is max_small_angle, of float max_small_angle_of_float, or more, or NaN.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> is_large_angle(V x) noexcept {
  return ~below(magnitude(x), max_small_angle);
}
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<V> is_large_angle(V x) noexcept {
  return ~below(magnitude(x), max_small_angle_of_float);
}

/// Any float: both ways, of which one is taken.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<float> near_or_far(
    reduced_angle<float> const& near, float x) noexcept {
  auto const far = reduce_large_angle(x);
  auto const is_far = is_large_angle(x);
  return {(far.quadrant & is_far) | (near.quadrant & ~is_far), select(is_far, far.r, near.r),
          select(is_far, far.rest, near.rest)};
}

PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<float> reduce_angle(float x) noexcept {
  return near_or_far(reduce_small_angle(x), x);
}
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<float> reduce_angle_in_two(
    float x) noexcept {
  return near_or_far(reduce_small_angle_in_two(x), x);
}

/// For any larger x; NaN for infinity and NaN. x is a whole number times a power of two. Its
/// product with the 192 bits of 2 / pi that matter to it has quarters and their fraction.
/// Source: Payne, Hanek (1983).
[[gnu::noinline]] PLACEMENT_HD constexpr reduced_angle<double> reduce_large_angle(
    double x) noexcept {
  constexpr std::uint32_t two_over_pi[] = {
      0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
      0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c,
      0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
      0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
      0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
      0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};
  constexpr int words = 6;
  auto const u = to_bits(x);
  auto const biased = static_cast<int>(u >> 52 & 0x7ff);
  if (biased == 0x7ff) return {0, x - x, 0};
  std::uint64_t const whole = (u & 0xfffffffffffff) | 0x10000000000000;
  std::uint64_t const part[2] = {whole & 0xffffffff, whole >> 32};
  // the first bit that matters is worth 2 quarters of x's last digit; 32 zero bits come before
  int const skipped = biased - 1023 - 52 - 2 + 32, from = skipped / 32, shift = skipped % 32;
  std::uint32_t product[words] = {};  // lowest first
  for (int j = 0; j != 2; ++j) {
    std::uint64_t carry = 0;
    for (int i = 0; i + j < words; ++i) {
      int const at = from + words - 1 - i;
      std::uint64_t const pair =
          static_cast<std::uint64_t>(two_over_pi[at]) << 32 | two_over_pi[at + 1];
      std::uint64_t const digit = pair >> (32 - shift) & 0xffffffff;
      carry += product[i + j] + part[j] * digit;
      product[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  std::uint32_t quadrant = product[words - 1] >> 30;
  std::uint32_t fraction[words] = {};
  for (int i = words - 1; i >= 0; --i)
    fraction[i] = product[i] << 2 | (i == 0 ? 0 : product[i - 1] >> 30);
  bool const past_half = fraction[words - 1] >> 31 != 0;
  if (past_half) {  // the next quarter is nearer: 1 - fraction
    ++quadrant;
    std::uint64_t carry = 1;
    for (std::uint32_t& f : fraction) {
      carry += ~f;
      f = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  auto const number = [](std::uint32_t n) { return static_cast<double>(n); };
  double const head = number(fraction[5]) * 0x1p-32 + number(fraction[4] & ~0x7ffu) * 0x1p-64;
  double const tail = number(fraction[4] & 0x7ff) * 0x1p-64 + number(fraction[3]) * 0x1p-96;
  double const last = number(fraction[2]) * 0x1p-128 + number(fraction[1]) * 0x1p-160;
  double const low = tail + last, f = head + low, lost = (low - (f - head)) + (last - (low - tail));
  // times pi / 2, in halves whose product is exact
  constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_head = 0x1.921fb54p+0;
  double const f_head = upper(f), big = f_head * half_pi_head;
  double const rest = f_head * (half_pi - half_pi_head) + (f - f_head) * half_pi +
                      (lost * half_pi + f * 0x1.1a62633145c07p-54);
  double const r = big + rest, of_r = rest - (r - big);
  auto const sign = sign_of(x) ^ (past_half ? sign_of(-0.) : 0);
  std::uint64_t const counted = quadrant;
  return {sign_of(x) != 0 ? 0 - counted : counted, from_bits<double>(to_bits(r) ^ sign),
          from_bits<double>(to_bits(of_r) ^ sign)};
}

PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<double> reduce_angle(
    double x) noexcept {
  if (!(magnitude(x) <= max_small_angle)) [[unlikely]]
    return reduce_large_angle(x);
  return reduce_small_angle(x);
}
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced_angle<double> reduce_angle_in_two(
    double x) noexcept {
  return reduce_angle(x);
}

/// sin and cos of r + rest. Source: minimax fits in r^2; errors 2^-26.4 and 2^-30.4 for float,
/// 2^-56.1 and 2^-60.9 for double.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sin_of_rest(reduced_angle<V> const& t) noexcept {
  V const z = t.r * t.r;
  return t.r + t.r * z * polynomial(z, -0x1.555552p-3f, 0x1.110be6p-7f, -0x1.9ab3ecp-13f);
}
/// sin(r + rest) - r.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sin_tail_of_rest(
    reduced_angle<V> const& t) noexcept {
  V const z = t.r * t.r;
  V const tail = t.r * z *
                 polynomial(z, -0x1.5555555555555p-3, 0x1.1111111110c84p-7, -0x1.a01a019ea17c5p-13,
                            0x1.71de37b235b35p-19, -0x1.ae60217812a5cp-26, 0x1.5e11ba5d3813bp-33);
  return tail + t.rest * (1 - 0.5 * z);
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sin_of_rest(reduced_angle<V> const& t) noexcept {
  return t.r + sin_tail_of_rest(t);
}
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V cos_of_rest(reduced_angle<V> const& t) noexcept {
  V const z = t.r * t.r;
  return multiply_add(V(z * z), polynomial(z, 0x1.555554p-5f, -0x1.6c129ep-10f, 0x1.9bc754p-16f),
                      V(1 - 0.5f * z));
}
/// A sum of two numbers.
template <class V> struct head_and_tail {
  V head, tail;
};
/// 1 - z / 2, and what that loses with the other terms.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr head_and_tail<V> cos_in_two(
    reduced_angle<V> const& t) noexcept {
  V const z = t.r * t.r, half = 0.5 * z, head = 1 - half;
  V const tail = z * z *
                 polynomial(z, 0x1.5555555555555p-5, -0x1.6c16c16c168ccp-10, 0x1.a01a019f38ba5p-16,
                            -0x1.27e4fa03844e4p-22, 0x1.1eeb586f37844p-29, -0x1.9073edb1d6431p-37);
  return {head, ((1 - head) - half) + (tail - t.r * t.rest)};
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V cos_of_rest(reduced_angle<V> const& t) noexcept {
  auto const [head, tail] = cos_in_two(t);
  return head + tail;
}

/// Without its sign: sin of (quarters + more) quarter turns and the rest, which is sin or cos of
/// it.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sin_or_cos_of_rest(reduced_angle<V> const& t,
                                                                    bits_of<V> quadrant) noexcept {
  return select(bits_of<V>{} - (quadrant & 1), cos_of_rest(t), sin_of_rest(t));
}
/// sin of (quarters + more) quarter turns and the rest: sin and cos in turn, with two signs.
/// Changed to the other sign where that of `other` is set.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sin_of_angle(reduced_angle<V> const& t, int more,
                                                              V other = V(0)) noexcept {
  using U = bits_of<element_of<V>>;
  auto const quadrant = t.quadrant + static_cast<U>(more);
  V const y = sin_or_cos_of_rest(t, quadrant);
  auto const signs = (quadrant << (format<V>::width - 2)) ^ to_bits(other);
  return from_bits<V>(to_bits(y) ^ (signs & (U{1} << (format<V>::width - 1))));
}

}}}  // namespace placement::v0_1::math
