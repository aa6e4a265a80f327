#pragma once
/// Functions of one vector register: a GNU vector of 16, 32 or 64 bytes. The only place that names
/// instructions; each has a portable form beside it.

#include <placement/config.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace simd { namespace detail {

/// The GNU vector of N lanes of T.
template <class T, int N> struct register_of {
  using type [[gnu::vector_size(static_cast<std::size_t>(N) * sizeof(T))]] = T;
};
template <class T, int N> using reg = typename register_of<T, N>::type;

/// The signed integer type with so many bytes.
template <std::size_t Bytes> struct int_of_size;
template <> struct int_of_size<1> {
  using type = std::int8_t;
};
template <> struct int_of_size<2> {
  using type = std::int16_t;
};
template <> struct int_of_size<4> {
  using type = std::int32_t;
};
template <> struct int_of_size<8> {
  using type = std::int64_t;
};
template <class T> using int_for = typename int_of_size<sizeof(T)>::type;
/// T, or the unsigned type of an integer: its arithmetic wraps.
template <class T> struct wrapping {
  using type = T;
};
template <class T> requires std::is_integral_v<T>
struct wrapping<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T> using wrapping_t = typename wrapping<T>::type;

template <class V> using lane_t = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
template <class V> inline constexpr int lanes_in = static_cast<int>(sizeof(V) / sizeof(lane_t<V>));
/// The vectors with lanes of another type: with as many bytes, and with as many lanes.
template <class U, class V> using same_bytes = reg<U, static_cast<int>(sizeof(V) / sizeof(U))>;
template <class U, class V> using same_lanes = reg<U, lanes_in<V>>;

template <class U, class V> PLACEMENT_ALWAYS_INLINE inline same_bytes<U, V> bits_as(V x) {
  return __builtin_bit_cast(same_bytes<U, V>, x);
}

/// The portable form of PLACEMENT_SHUFFLE.
template <class V, std::size_t N> inline auto shuffle_lanes(V a, V b, int const (&numbers)[N]) {
  reg<lane_t<V>, static_cast<int>(N)> y{};
  for (std::size_t i = 0; i != N; ++i)
    y[i] = numbers[i] < lanes_in<V> ? a[numbers[i]] : b[numbers[i] - lanes_in<V>];
  return y;
}

// ---- comparison and choice

/// The sign bit of each 64-bit lane, in all its bits.
template <class V> PLACEMENT_ALWAYS_INLINE inline auto spread_sign(V x) {
  return bits_as<std::int64_t>(x) >> 63;
}
/// True when the machine compares the lanes of V in one instruction.
template <class V>
inline constexpr bool has_compare = PLACEMENT_VECTOR_COMPARES_LONG || sizeof(V) != 16 ||
                                    !std::is_integral_v<lane_t<V>> || sizeof(lane_t<V>) != 8;

/// Doubles that g++ for SSE2 is given instructions for, by name: it knows that the lanes of what an
/// operator gives are 0 or -1, and combines two such results one lane at a time.
template <class V>
inline constexpr bool compares_by_name =
    PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE && !PLACEMENT_VECTOR_COMPARES_LONG &&
    sizeof(V) == 16 && std::is_same_v<lane_t<V>, double>;

/// All ones in the lanes where a < b. Source: Warren, Hacker's Delight (2012), 2-12.
template <class V> PLACEMENT_ALWAYS_INLINE inline auto less(V a, V b) {
  using T = lane_t<V>;
  if constexpr (compares_by_name<V>) return bits_as<int_for<T>>(__builtin_ia32_cmpltpd(a, b));
  else if constexpr (has_compare<V>) return bits_as<int_for<T>>(a < b);
  else if constexpr (std::is_unsigned_v<T>) return spread_sign((~a & b) | (~(a ^ b) & (a - b)));
  else {
    auto const x = bits_as<std::uint64_t>(a), y = bits_as<std::uint64_t>(b), d = x - y;
    return spread_sign(d ^ ((x ^ y) & (d ^ x)));
  }
}
template <class V> PLACEMENT_ALWAYS_INLINE inline auto equal(V a, V b) {
  using I = int_for<lane_t<V>>;
  if constexpr (compares_by_name<V>) {
    return bits_as<I>(__builtin_ia32_cmpeqpd(a, b));
  } else if constexpr (has_compare<V>) {
    return bits_as<I>(a == b);
  } else {
    auto const halves = bits_as<std::int32_t>(a) == bits_as<std::int32_t>(b);
    return bits_as<I>(halves & PLACEMENT_SHUFFLE(halves, halves, 1, 0, 3, 2));
  }
}

template <class V> PLACEMENT_ALWAYS_INLINE inline auto not_equal(V a, V b) {
  if constexpr (compares_by_name<V>)
    return bits_as<int_for<lane_t<V>>>(__builtin_ia32_cmpneqpd(a, b));
  else if constexpr (has_compare<V>) return bits_as<int_for<lane_t<V>>>(a != b);
  else return ~equal(a, b);
}
template <class V> PLACEMENT_ALWAYS_INLINE inline auto less_equal(V a, V b) {
  if constexpr (compares_by_name<V>)
    return bits_as<int_for<lane_t<V>>>(__builtin_ia32_cmplepd(a, b));
  else if constexpr (has_compare<V>) return bits_as<int_for<lane_t<V>>>(a <= b);
  else return ~less(b, a);
}

/// a where the mask is all ones, b where it is zero. A `?:` of 16 bytes would compare again. Not in
/// lanes of 64 bits, of which g++ would make a comparison that SSE2 lacks, and numbers of that.
template <class M, class V> PLACEMENT_ALWAYS_INLINE inline V choose(M mask, V a, V b) {
  if constexpr (sizeof(V) != 16) return mask ? a : b;
  else {
    auto const bits = bits_as<std::int32_t>(mask);
    return bits_as<lane_t<V>>((bits_as<std::int32_t>(a) & bits) |
                              (bits_as<std::int32_t>(b) & ~bits));
  }
}

// ---- lanes of another width

template <int First, class V, int... I>
PLACEMENT_ALWAYS_INLINE inline auto part(V x, std::integer_sequence<int, I...>) {
  return PLACEMENT_SHUFFLE(x, x, (First + I)...);
}
template <class A, int... I>
PLACEMENT_ALWAYS_INLINE inline auto joined(A a, A b, std::integer_sequence<int, I...>) {
  return PLACEMENT_SHUFFLE(a, b, I...);
}
template <int First, class V, int... I>
PLACEMENT_ALWAYS_INLINE inline V zipped(V a, V b, std::integer_sequence<int, I...>) {
  return PLACEMENT_SHUFFLE(a, b, (First + I / 2 + I % 2 * lanes_in<V>)...);
}
template <class V, int... I>
PLACEMENT_ALWAYS_INLINE inline V even_lanes(V a, V b, std::integer_sequence<int, I...>) {
  return PLACEMENT_SHUFFLE(a, b, (2 * I)...);
}
template <int N> using count_to = std::make_integer_sequence<int, N>;

/// Half of the lanes of x, the lower (Half 0) or the upper, as U of twice their size.
/// g++ 12 makes no vector code of conversions from 8 bytes.
template <class U, int Half, class V> PLACEMENT_ALWAYS_INLINE inline auto widen_half(V x) {
  using T = lane_t<V>;
  constexpr int n = lanes_in<V>;
  if constexpr (sizeof(V) != 16) {
    auto const half = part<Half * n / 2>(x, count_to<n / 2>{});
    return __builtin_convertvector(half, same_lanes<U, decltype(half)>);
  } else if constexpr (std::is_integral_v<U>) {
    V const high = std::is_signed_v<T> ? bits_as<T>(x < V{}) : V{};
    return bits_as<U>(zipped<Half * n / 2>(x, high, count_to<n>{}));
  } else if constexpr (PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE) {
    constexpr int first = 2 * Half;
    V const low = PLACEMENT_SHUFFLE(x, x, first, first + 1, first, first + 1);
    if constexpr (std::is_same_v<T, float>) return __builtin_ia32_cvtps2pd(low);
    else return __builtin_ia32_cvtdq2pd(low);
  } else {
    auto const half = part<Half * n / 2>(x, count_to<n / 2>{});
    return __builtin_convertvector(half, same_lanes<U, decltype(half)>);
  }
}
/// The lanes of a, then those of b, as U of half their size. Integers keep their low bits.
template <class U, class V> PLACEMENT_ALWAYS_INLINE inline same_bytes<U, V> narrow_two(V a, V b) {
  constexpr int n = lanes_in<V>;
  if constexpr (std::is_integral_v<lane_t<V>>) {
    return even_lanes(bits_as<U>(a), bits_as<U>(b), count_to<2 * n>{});
  } else {
    return joined(__builtin_convertvector(a, same_lanes<U, V>),
                  __builtin_convertvector(b, same_lanes<U, V>), count_to<2 * n>{});
  }
}
/// The same of masks, whose lanes are 0 or -1: saturating instructions do no harm.
template <class U, class V> PLACEMENT_ALWAYS_INLINE inline same_bytes<U, V> narrow_masks(V a, V b) {
  if constexpr (PLACEMENT_VECTOR_X86 && sizeof(V) == 16 && sizeof(U) == 2)
    return bits_as<U>(__builtin_ia32_packssdw128(bits_as<int>(a), bits_as<int>(b)));
  else if constexpr (PLACEMENT_VECTOR_X86 && sizeof(V) == 16 && sizeof(U) == 1)
    return bits_as<U>(__builtin_ia32_packsswb128(bits_as<short>(a), bits_as<short>(b)));
  else return narrow_two<U>(a, b);
}

/// True when a lane is all ones; the others are 0.
template <class V> PLACEMENT_ALWAYS_INLINE inline bool any_bit(V x) {
  if constexpr (PLACEMENT_VECTOR_X86 && sizeof(V) == 16) {
    return __builtin_ia32_pmovmskb128(bits_as<char>(x)) != 0;
  } else if constexpr (PLACEMENT_X86_LEVEL >= 3 && sizeof(V) == 32) {
    return __builtin_ia32_pmovmskb256(bits_as<char>(x)) != 0;
  } else if constexpr (PLACEMENT_X86_LEVEL == 4 && sizeof(V) == 64) {
    constexpr int not_equal = 4;
    constexpr auto all = static_cast<std::uint16_t>(-1);
    return __builtin_ia32_cmpd512_mask(bits_as<int>(x), bits_as<int>(V{}), not_equal, all) != 0;
  } else if constexpr (sizeof(V) == 16) {
    auto const words = bits_as<std::uint64_t>(x);
    return (words[0] | words[1]) != 0;
  } else {
    constexpr int half = lanes_in<V> / 2;
    return any_bit(part<0>(x, count_to<half>{}) | part<half>(x, count_to<half>{}));
  }
}

// ---- square roots and whole numbers

template <class V> PLACEMENT_ALWAYS_INLINE inline V sqrt(V x) {
  constexpr bool is_float = sizeof(lane_t<V>) == 4;
  if constexpr (PLACEMENT_VECTOR_ELEMENTWISE) return __builtin_elementwise_sqrt(x);
  else if constexpr (!PLACEMENT_VECTOR_X86) {
    for (int i = 0; i != lanes_in<V>; ++i) x[i] = std::sqrt(x[i]);
    return x;
  } else if constexpr (sizeof(V) == 16) {
    if constexpr (is_float) return __builtin_ia32_sqrtps(x);
    else return __builtin_ia32_sqrtpd(x);
  } else if constexpr (sizeof(V) == 32) {
    if constexpr (is_float) return __builtin_ia32_sqrtps256(x);
    else return __builtin_ia32_sqrtpd256(x);
  } else {
    if constexpr (is_float) return __builtin_ia32_sqrtps512_mask(x, x, -1, 4);
    else return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
  }
}

/// a b + c, rounded once. Only in files with the instruction.
template <class V> PLACEMENT_ALWAYS_INLINE inline V fused(V a, V b, V c) {
  constexpr bool is_float = sizeof(lane_t<V>) == 4;
#if PLACEMENT_VECTOR_X86 && PLACEMENT_HAS_FUSED && !PLACEMENT_VECTOR_ELEMENTWISE
  if constexpr (sizeof(V) == 16) {
    if constexpr (is_float) return __builtin_ia32_vfmaddps(a, b, c);
    else return __builtin_ia32_vfmaddpd(a, b, c);
  } else if constexpr (sizeof(V) == 32) {
    if constexpr (is_float) return __builtin_ia32_vfmaddps256(a, b, c);
    else return __builtin_ia32_vfmaddpd256(a, b, c);
  } else {
    if constexpr (is_float) return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
    else return __builtin_ia32_vfmaddpd512_mask(a, b, c, 0xff, 4);
  }
#elif PLACEMENT_VECTOR_ELEMENTWISE
  static_cast<void>(is_float);
  return __builtin_elementwise_fma(a, b, c);
#else
  for (int i = 0; i != lanes_in<V>; ++i)
    a[i] = is_float ? lane_t<V>(__builtin_fmaf(a[i], b[i], c[i]))
                    : lane_t<V>(__builtin_fma(a[i], b[i], c[i]));
  return a;
#endif
}

/// Which whole number: the nearest, ties to even; the next below; above; towards 0.
/// The values are those of the instructions' operand, with no exception raised.
enum class rounding { nearest = 8, down, up, to_zero };

/// The same by additions. Source: from 2^23 (2^52 of double) on, all numbers are whole.
template <rounding R, class V> PLACEMENT_ALWAYS_INLINE inline V round_by_adding(V x) {
  using T = lane_t<V>;
  using I = int_for<T>;
  constexpr T whole = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
  V const zero{}, from_here = whole - zero, one = T(1) - zero;
  auto const sign = bits_as<I>(-zero), bits = bits_as<I>(x);
  V const magnitude = bits_as<T>(bits & ~sign);
  V y = bits_as<T>(bits_as<I>((magnitude + from_here) - from_here) | (bits & sign));
  if constexpr (R == rounding::to_zero) {
    auto const past = bits_as<I>(bits_as<T>(bits_as<I>(y) & ~sign) > magnitude);
    y = bits_as<T>(bits_as<I>(y - bits_as<T>((bits_as<I>(one) | (bits & sign)) & past)));
  } else if constexpr (R == rounding::down) {
    y = y - bits_as<T>(bits_as<I>(one) & bits_as<I>(y > x));
  } else if constexpr (R == rounding::up) {
    y = y + bits_as<T>(bits_as<I>(one) & bits_as<I>(y < x));
  }
  y = bits_as<T>(bits_as<I>(y) | (bits & sign));  // of results that are 0
  return choose(bits_as<I>(magnitude < from_here), y, x);
}
template <rounding R, class V> PLACEMENT_ALWAYS_INLINE inline V round(V x) {
  constexpr bool is_float = sizeof(lane_t<V>) == 4;
  constexpr int how = static_cast<int>(R);
  if constexpr (!PLACEMENT_VECTOR_ROUNDS) return round_by_adding<R>(x);
  else if constexpr (PLACEMENT_VECTOR_ELEMENTWISE) {
    if constexpr (R == rounding::nearest) return __builtin_elementwise_nearbyint(x);
    else if constexpr (R == rounding::down) return __builtin_elementwise_floor(x);
    else if constexpr (R == rounding::up) return __builtin_elementwise_ceil(x);
    else return __builtin_elementwise_trunc(x);
  } else if constexpr (!PLACEMENT_VECTOR_X86) return round_by_adding<R>(x);
  else if constexpr (sizeof(V) == 16) {
    if constexpr (is_float) return __builtin_ia32_roundps(x, how);
    else return __builtin_ia32_roundpd(x, how);
  } else if constexpr (sizeof(V) == 32) {
    if constexpr (is_float) return __builtin_ia32_roundps256(x, how);
    else return __builtin_ia32_roundpd256(x, how);
  } else {
    if constexpr (is_float) return __builtin_ia32_rndscaleps_mask(x, how, x, -1, 4);
    else return __builtin_ia32_rndscalepd_mask(x, how, x, -1, 4);
  }
}

}}}}  // namespace placement::v0_1::simd::detail
