#pragma once
/// Packs of another element type, choice between packs, and packs of 16-bit floating point.

#include <placement/kernels/simd_mask.hpp>
#include <placement/kernels/simd_pack.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

namespace detail {

/// Lanes of twice the size.
template <class U, class T, int N, class R, int... I>
PLACEMENT_ALWAYS_INLINE inline pack<U, N> widen(basic_pack<T, N, R> const& x,
                                                std::integer_sequence<int, I...>) noexcept {
  pack<U, N> y;
  if constexpr (lanes_per_register<T, N> == lanes_per_register<U, N>)
    ((y.r[I] = __builtin_convertvector(x.r[I], reg<U, lanes_per_register<U, N>>)), ...);
  else ((y.r[I] = widen_half<U, I % 2>(x.r[I / 2])), ...);
  return y;
}
template <class U, class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<U, N> widen(basic_pack<T, N, R> const& x) noexcept {
  return widen<U>(x, count_to<pack<U, N>::registers>{});
}
/// Lanes of half the size. Masks: whether all lanes are 0 or -1.
enum class narrowed { numbers, masks };
template <class U, narrowed What, class T, int N, class R, int... I>
PLACEMENT_ALWAYS_INLINE inline pack<U, N> narrow(basic_pack<T, N, R> const& x,
                                                 std::integer_sequence<int, I...>) noexcept {
  constexpr int last = basic_pack<T, N, R>::registers - 1;
  pack<U, N> y;
  if constexpr (lanes_per_register<T, N> == lanes_per_register<U, N>)
    ((y.r[I] = __builtin_convertvector(x.r[I], reg<U, lanes_per_register<U, N>>)), ...);
  else if constexpr (What == narrowed::masks)
    ((y.r[I] = narrow_masks<U>(x.r[2 * I], x.r[2 * I < last ? 2 * I + 1 : last])), ...);
  else ((y.r[I] = narrow_two<U>(x.r[2 * I], x.r[2 * I < last ? 2 * I + 1 : last])), ...);
  return y;
}
template <class U, narrowed What = narrowed::numbers, class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<U, N> narrow(basic_pack<T, N, R> const& x) noexcept {
  return narrow<U, What>(x, count_to<pack<U, N>::registers>{});
}

/// The integer type of another size, with a sign if T has one.
template <class T, std::size_t Bytes>
using resized = std::conditional_t<std::is_signed_v<T>, typename int_of_size<Bytes>::type,
                                   std::make_unsigned_t<typename int_of_size<Bytes>::type>>;

/// Lanes of the same size as To: bits of integers, else numbers.
template <class To, class T, int N, class R, int... I>
PLACEMENT_ALWAYS_INLINE inline pack<To, N> convert_each(basic_pack<T, N, R> const& x,
                                                        std::integer_sequence<int, I...>) noexcept {
  pack<To, N> y;
  if constexpr (std::is_integral_v<T> && std::is_integral_v<To>)
    ((y.r[I] = bits_as<To>(x.r[I])), ...);
  else ((y.r[I] = __builtin_convertvector(x.r[I], reg<To, lanes_per_register<To, N>>)), ...);
  return y;
}

}  // namespace detail

/// The bits of each lane as a number of another type of its size. One register at a time, as g++
/// makes a copy in memory of a cast of several.
template <class To, class T, int N, int... I>
PLACEMENT_ALWAYS_INLINE inline pack<To, N> bit_cast(
    basic_pack<T, N, std::integer_sequence<int, I...>> const& x) noexcept {
  pack<To, N> y;
  ((y.r[I] = detail::bits_as<To>(x.r[I])), ...);
  return y;
}

namespace detail {

/// A number as the sum of two. Until AVX-512 processors convert no vectors of 64-bit integers.
template <int N> struct two_doubles {
  pack<double, N> high, low;
};
/// A 64-bit integer, exactly: 2^84 and 2^52 in front of its halves make numbers of them.
template <class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline two_doubles<N> halves_of(basic_pack<T, N, R> const& x) noexcept {
  using words = pack<std::uint64_t, N>;
  constexpr double ahead = 0x1p84, bias = std::is_signed_v<T> ? 0x1p63 : 0.;
  words u = bit_cast<std::uint64_t>(x);
  if constexpr (std::is_signed_v<T>) u = u ^ words(std::uint64_t{1} << 63);
  auto const behind = [](words const& low, double front) PLACEMENT_ALWAYS_INLINE {
    return bit_cast<double>(low | words(__builtin_bit_cast(std::uint64_t, front)));
  };
  return {behind(u >> 32, ahead) - (ahead + bias + 0x1p52), behind(u & 0xffffffff, 0x1p52)};
}
template <int N>
PLACEMENT_ALWAYS_INLINE inline pack<double, N> sum_of(two_doubles<N> const& x) noexcept {
  return x.high + x.low;
}
/// The sum, with an odd last bit where it is not exact. Source: Knuth, TAOCP 2, 4.2.2, for what
/// the sum loses.
template <int N>
PLACEMENT_ALWAYS_INLINE inline pack<double, N> rounded_to_odd(two_doubles<N> const& x) noexcept {
  using doubles = pack<double, N>;
  doubles const sum = x.high + x.low, of_low = sum - x.high, zero{};
  doubles const lost = (x.high - (sum - of_low)) + (x.low - of_low);
  auto const too_large = ((lost < zero) & (sum > zero)) | ((lost > zero) & (sum < zero));
  auto const bits = bit_cast<std::int64_t>(sum) + too_large.bits;
  return bit_cast<double>(bits | ((lost != zero).bits & 1));
}
/// A number below 2^63 without its fraction: 2^84 rounds it to a multiple of 2^32, and 2^52 what is
/// left to a whole number.
template <int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<std::int64_t, N> whole_number(
    basic_pack<double, N, R> const& x) noexcept {
  using doubles = pack<double, N>;
  using words = pack<std::int64_t, N>;
  constexpr double front = 0x1p84, magic = 0x1.8p52;
  auto const bits = [](auto const& y) PLACEMENT_ALWAYS_INLINE { return bit_cast<std::int64_t>(y); };
  words const sign = (x < doubles{}).bits;
  doubles const a = select(x < doubles{}, -x, x), high = a + front, low = a - (high - front);
  doubles const near = low + magic;
  words const upper = (bits(high) - bits(doubles(front))) << 32;
  words const y = upper + (bits(near) - bits(doubles(magic))) + (near - magic > low).bits;
  return (y ^ sign) - sign;
}

/// The same below 2^64: from 2^63 on the top bit is added.
template <int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<std::uint64_t, N> unsigned_whole_number(
    basic_pack<double, N, R> const& x) noexcept {
  auto const large = x >= pack<double, N>(0x1p63);
  auto const low = whole_number(x - select(large, pack<double, N>(0x1p63), pack<double, N>{}));
  auto const top = bit_cast<std::uint64_t>(large.bits) & (std::uint64_t{1} << 63);
  return bit_cast<std::uint64_t>(low) | top;
}

}  // namespace detail

/// As numbers of 16 bits are rounded from: float, with an odd last bit where it is not exact.
template <class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<float, N> to_be_rounded(basic_pack<T, N, R> const& x) noexcept;

/// static_cast<To>, of a number and of each lane.
template <class To, any_number T> PLACEMENT_HD constexpr To convert(T x) noexcept {
  return static_cast<To>(x);
}
template <class To, class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<To, N> convert(basic_pack<T, N, R> const& x) noexcept {
  using namespace detail;
  constexpr bool from_int = std::is_integral_v<T>, to_int = std::is_integral_v<To>;
  constexpr std::size_t from = sizeof(T), to = sizeof(To);
  constexpr bool is_float = std::is_same_v<T, float>;
  auto const top = std::uint32_t{1} << 31;
  if constexpr (std::is_same_v<To, T>) {
    return x;
  } else if constexpr (number_of_16_bits<T>) {
    return convert<To>(x.wide);
  } else if constexpr (number_of_16_bits<To>) {
    return pack<To, N>(to_be_rounded(x));
  } else if constexpr (from == 8 && from_int && !to_int) {
    if constexpr (to == 8 && PLACEMENT_VECTOR_CONVERTS_LONG)
      return convert_each<To>(x, count_to<pack<To, N>::registers>{});
    else if constexpr (to == 8) return sum_of(halves_of(x));
    else return convert<To>(rounded_to_odd(halves_of(x)));  // else it would be rounded twice
  } else if constexpr (from == 8 && to == 8 && to_int && !from_int &&
                       !PLACEMENT_VECTOR_CONVERTS_LONG) {
    if constexpr (std::is_signed_v<To>) return bit_cast<To>(whole_number(x));
    else return unsigned_whole_number(x);
  } else if constexpr (from == to) {
    return convert_each<To>(x, count_to<pack<To, N>::registers>{});
  } else if constexpr (from_int && to_int) {
    if constexpr (from * 2 == to || from == to * 2) {
      if constexpr (from < to) return convert<To>(widen<resized<T, to>>(x));
      else return convert<To>(narrow<resized<T, to>>(x));
    } else {
      constexpr std::size_t next = from < to ? from * 2 : from / 2;
      return convert<To>(convert<resized<T, next>>(x));
    }
  } else if constexpr (from_int && from <= 2) {
    return convert<To>(convert<std::int32_t>(x));
  } else if constexpr (to_int && to <= 2) {
    return convert<To>(convert<std::int32_t>(x));
  } else if constexpr (is_float && to_int) {
    return convert<To>(widen<double>(x));
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return widen<double>(bit_cast<std::int32_t>(x ^ top)) + 0x1p31;
  } else if constexpr (std::is_same_v<To, std::uint32_t>) {
    auto const large = x >= pack<double, N>(0x1p31);
    auto const low = narrow<std::int32_t>(x - select(large, pack<double, N>(0x1p31), 0.));
    return bit_cast<std::uint32_t>(low) + (convert<std::uint32_t>(large.bits) & top);
  } else if constexpr (from < to) {
    return widen<To>(x);
  } else {
    return narrow<To>(x);
  }
}

template <class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline pack<float, N> to_be_rounded(basic_pack<T, N, R> const& x) noexcept {
  if constexpr (std::is_same_v<T, float> || sizeof(T) <= 2) {
    return convert<float>(x);
  } else if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
    return to_be_rounded(detail::rounded_to_odd(detail::halves_of(x)));
  } else if constexpr (std::is_integral_v<T>) {
    return to_be_rounded(convert<double>(x));
  } else {
    auto const nearest = convert<float>(x);
    auto const found = convert<double>(nearest);
    auto const above = resize<std::int32_t>(select(x < pack<T, N>{}, found<x, found> x));
    auto const exact = resize<std::int32_t>((found == x) | (x != x));
    auto const odd = (bit_cast<std::int32_t>(nearest) + above.bits) | 1;
    return select(exact, nearest, bit_cast<float>(odd));
  }
}

/// Masks with lanes of another size.
template <class J, class I, int N>
PLACEMENT_ALWAYS_INLINE inline mask<J, N> resize(mask<I, N> const& m) noexcept {
  using namespace detail;
  if constexpr (sizeof(I) == sizeof(J)) {
    return mask<J, N>(bit_cast<J>(m.bits));
  } else if constexpr (sizeof(I) < sizeof(J)) {
    using next = int_for<resized<I, sizeof(I) * 2>>;
    return resize<J>(mask<next, N>(widen<next>(m.bits)));
  } else {
    using next = int_for<resized<I, sizeof(I) / 2>>;
    return resize<J>(mask<next, N>(narrow<next, narrowed::masks>(m.bits)));
  }
}
/// 1 where the mask is set, else 0.
template <class To, class I, int N>
PLACEMENT_ALWAYS_INLINE inline pack<To, N> convert(mask<I, N> const& m) noexcept {
  return select(m, pack<To, N>(To(1)), pack<To, N>(To(0)));
}

/// condition ? a : b.
template <class T> PLACEMENT_HD constexpr T select(bool condition, T a, T b) noexcept {
  return condition ? a : b;
}
template <class I, class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline basic_pack<T, N, R> select(
    mask<I, N> const& m, basic_pack<T, N, R> const& a,
    std::type_identity_t<basic_pack<T, N, R>> const& b) noexcept {
  basic_pack<T, N, R> y;
  if constexpr (number_of_16_bits<T>) {
    y.wide = select(m, a.wide, b.wide);
  } else {
    auto const bits = resize<detail::int_for<T>>(m).bits;
    [&]<int... J>(std::integer_sequence<int, J...>) PLACEMENT_ALWAYS_INLINE {
      ((y.r[J] = detail::choose(bits.r[J], a.r[J], b.r[J])), ...);
    }(R{});
  }
  return y;
}
template <class I, class J, int N>
PLACEMENT_ALWAYS_INLINE inline mask<J, N> select(mask<I, N> const& m, mask<J, N> const& a,
                                                 mask<J, N> const& b) noexcept {
  auto const bits = resize<J>(m).bits;
  return mask<J, N>((a.bits & bits) | (b.bits & ~bits));
}

}}}  // namespace placement::v0_1::simd
