#pragma once
/// What math/ calls of packs, and functions of packs that processors have.

#include <placement/kernels/simd_convert.hpp>
#include <placement/kernels/simd_lesser.hpp>
#include <placement/math/bits.hpp>

namespace placement { inline namespace v0_1 { namespace math {
/// The layout of a pack's elements.
template <one_number T, int N, class R> struct format<simd::basic_pack<T, N, R>> : format<T> {
  using bits = simd::pack<bits_of<T>, N>;
};
}}}  // namespace placement::v0_1::math

namespace placement { inline namespace v0_1 { namespace simd {

/// A pack of float or double.
template <class V> concept real_pack = is_pack<V> && std::is_floating_point_v<typename V::element>;
template <class V> using bits_of = math::bits_of<V>;

// ---- in place of the functions of numbers in math/bits.hpp

template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline bits_of<V> negative(V const& x) noexcept {
  using T = typename V::element;
  auto const bits = bit_cast<detail::int_for<T>>(x) >> (math::format<T>::width - 1);
  return bit_cast<math::bits_of<T>>(bits);
}
/// A number of a program as V, a number or a pack. Packs widen numbers of 16 bits without a branch.
template <class V, class T> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline V widened_to(T x) noexcept {
  if constexpr (is_pack<V>) return widened(pack<T, V::lanes>(x));
  else return widened(x);
}
/// a * b, rounded before it is used.
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V rounded_product(V const& a, V const& b) noexcept {
  V y = a * b;
  [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
    ([](auto& r) PLACEMENT_ALWAYS_INLINE { PLACEMENT_ROUNDED(r); }(y.r[I]), ...);
  }(std::make_integer_sequence<int, V::registers>{});
  return y;
}
/// All ones where the mask is set.
template <class V, class I, int N>
PLACEMENT_ALWAYS_INLINE inline bits_of<V> ones_where(mask<I, N> const& m) noexcept {
  return bit_cast<typename bits_of<V>::element>(m.bits);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline bits_of<V> below(V const& a,
                                                std::type_identity_t<V> const& b) noexcept {
  return ones_where<V>(a < b);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline bits_of<V> above(V const& a,
                                                std::type_identity_t<V> const& b) noexcept {
  return ones_where<V>(!(a <= b));
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline bits_of<V> unequal(V const& a, V const& b) noexcept {
  return ones_where<V>(a != b);
}
/// All ones where x is 0 or below, denormal, NaN, or `end` and above: infinity by default. With
/// integers one comparison suffices: the bits of numbers from `end` on become negative.
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline bits_of<V> no_positive_normal(
    V const& x,
    typename V::element end = static_cast<typename V::element>(__builtin_inff())) noexcept {
  using T = typename V::element;
  using U = math::bits_of<T>;
  using I = detail::int_for<T>;
  constexpr U least = U{1} << math::format<T>::digits;
  if constexpr (detail::has_compare<typename pack<I, V::lanes>::register_type>) {
    U const moved = (U{1} << (math::format<T>::width - 1)) - math::to_bits(end);
    auto const bits = bit_cast<I>(math::to_bits(x) + bits_of<V>(moved));
    return bit_cast<U>((bits < pack<I, V::lanes>(static_cast<I>(least + moved))).bits);
  } else {
    return ones_where<V>(!((V(math::from_bits<T>(least)) <= x) & (x < V(end))));
  }
}
template <class U, int N, class S> requires std::is_unsigned_v<U>
PLACEMENT_ALWAYS_INLINE inline basic_pack<U, N, S> none_of(
    basic_pack<U, N, S> const& bits) noexcept {
  return bit_cast<U>((bits == basic_pack<U, N, S>{}).bits);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V select(bits_of<V> const& bits, V const& a, V const& b) noexcept {
  using I = detail::int_for<typename V::element>;
  return select(mask<I, V::lanes>(bit_cast<I>(bits)), a, b);
}
/// a < b ? a : b, and b where either is NaN.
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V lesser(V const& a, V const& b) noexcept {
  V y;
  [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
    ((y.r[I] = detail::lesser_lanes(a.r[I], b.r[I])), ...);
  }(std::make_integer_sequence<int, V::registers>{});
  return y;
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V greater(V const& a, V const& b) noexcept {
  V y;
  [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
    ((y.r[I] = detail::greater_lanes(a.r[I], b.r[I])), ...);
  }(std::make_integer_sequence<int, V::registers>{});
  return y;
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V no_more(V const& x, std::type_identity_t<V> const& max) noexcept {
  return lesser(max, x);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V no_less(V const& x,
                                         std::type_identity_t<V> const& least) noexcept {
  return greater(least, x);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V limited(V const& x, std::type_identity_t<V> const& max) noexcept {
  return no_less(no_more(x, max), -max);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V within(V const& x, std::type_identity_t<V> const& max) noexcept {
  return limited(x, max);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V smaller_positive(V const& a,
                                                  std::type_identity_t<V> const& b) noexcept {
  return lesser(a, b);
}

namespace detail {
template <class V, class F, class... W>
[[gnu::cold, gnu::noinline]] inline void replace_each(V& y, bits_of<V> const& where, F const& f,
                                                      W const&... x) noexcept {
  constexpr auto n = static_cast<std::size_t>(V::lanes);
  lane_array to(y);
  lane_array const set(where);
  [&](auto... from) noexcept {
    for (std::size_t i = 0; i != n; ++i)
      if (set.at[i] != 0) to.at[i] = f(from.at[i]...);
  }(lane_array(x)...);
  load_into(y, to.at);
}
}  // namespace detail
/// y, with f(x...) in the lanes that are set in `where`: seldom any.
template <class V, class F, class... W>
PLACEMENT_ALWAYS_INLINE inline V replace_lanes(V const& y, bits_of<V> const& where, F const& f,
                                               W const&... x) noexcept {
  using I = detail::int_for<typename V::element>;
  if (any(mask<I, V::lanes>(bit_cast<I>(where)))) [[unlikely]] {
    V changed = y;  // whose address is taken, unlike that of y
    detail::replace_each(changed, where, f, x...);
    return changed;
  }
  return y;
}

/// y, with the lanes of f() that are set in `where`: seldom any.
template <class V, class F>
PLACEMENT_ALWAYS_INLINE inline V replace_where(V const& y, bits_of<V> const& where,
                                               F const& f) noexcept {
  using I = detail::int_for<typename V::element>;
  mask<I, V::lanes> const replaced(bit_cast<I>(where));
  if (any(replaced)) [[unlikely]]
    return select(replaced, f(), y);
  return y;
}

// ---- functions of the processor

template <class V, class F> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V each_register(V x, F const& f) noexcept {
  [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
    ((x.r[I] = f(x.r[I])), ...);
  }(std::make_integer_sequence<int, V::registers>{});
  return x;
}
/// a b + c, rounded once. Only where math::is_fused().
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V fused(V const& a, V const& b, V const& c) noexcept {
  V y;
  [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
    ((y.r[I] = detail::fused(a.r[I], b.r[I], c.r[I])), ...);
  }(std::make_integer_sequence<int, V::registers>{});
  return y;
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V sqrt(V const& x) noexcept {
  return each_register(x, [](auto r) PLACEMENT_ALWAYS_INLINE { return detail::sqrt(r); });
}
template <detail::rounding How, class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V rounded(V const& x) noexcept {
  return each_register(x, [](auto r) PLACEMENT_ALWAYS_INLINE { return detail::round<How>(r); });
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V floor(V const& x) noexcept {
  return rounded<detail::rounding::down>(x);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V ceil(V const& x) noexcept {
  return rounded<detail::rounding::up>(x);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V trunc(V const& x) noexcept {
  return rounded<detail::rounding::to_zero>(x);
}
/// To the nearest whole number, ties to even.
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V nearbyint(V const& x) noexcept {
  return rounded<detail::rounding::nearest>(x);
}
template <class V> requires real_pack<V>
PLACEMENT_ALWAYS_INLINE inline V fabs(V const& x) noexcept {
  return math::magnitude(x);
}

}}}  // namespace placement::v0_1::simd
