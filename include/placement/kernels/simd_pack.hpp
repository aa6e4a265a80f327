#pragma once
/// Packs: N numbers of one type in vector registers, with the arithmetic of one number.

#include <placement/kernels/simd_register.hpp>
#include <placement/kernels/simd_types.hpp>
#include <placement/math/float16.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 { namespace simd {

template <class T, int N, int... I> requires(!number_of_16_bits<T>)
struct basic_pack<T, N, std::integer_sequence<int, I...>> {
  using element = T;
  static constexpr int lanes = N, width = lanes_per_register<T, N>, registers = sizeof...(I);
  using register_type = detail::reg<T, width>;
  using mask_type = mask<detail::int_for<T>, N>;

  register_type r[static_cast<std::size_t>(registers)];

  basic_pack() = default;
  PLACEMENT_ALWAYS_INLINE basic_pack(basic_pack const& o) noexcept { ((r[I] = o.r[I]), ...); }
  PLACEMENT_ALWAYS_INLINE basic_pack& operator=(basic_pack const& o) noexcept {
    ((r[I] = o.r[I]), ...);
    return *this;
  }
  /// The same number in each lane.
  PLACEMENT_ALWAYS_INLINE basic_pack(T x) noexcept { ((r[I] = x - register_type{}), ...); }

  PLACEMENT_ALWAYS_INLINE friend basic_pack operator+(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = of(as_wrapping(a.r[I]) + as_wrapping(b.r[I]))), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator-(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = of(as_wrapping(a.r[I]) - as_wrapping(b.r[I]))), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator*(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = of(as_wrapping(a.r[I]) * as_wrapping(b.r[I]))), ...);
    return y;
  }
  /// Of floating point.
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator/(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = a.r[I] / b.r[I]), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator-(basic_pack const& a) noexcept {
    basic_pack y;
    ((y.r[I] = of(-as_wrapping(a.r[I]))), ...);
    return y;
  }
  /// a b + c. One expression, so that compilers may fuse it as they do for numbers.
  PLACEMENT_ALWAYS_INLINE friend basic_pack multiply_add(basic_pack const& a, basic_pack const& b,
                                                         basic_pack const& c) noexcept {
    basic_pack y;
    ((y.r[I] = a.r[I] * b.r[I] + c.r[I]), ...);
    return y;
  }

  PLACEMENT_ALWAYS_INLINE friend basic_pack operator&(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = a.r[I] & b.r[I]), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator|(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = a.r[I] | b.r[I]), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator^(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    basic_pack y;
    ((y.r[I] = a.r[I] ^ b.r[I]), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator~(basic_pack const& a) noexcept {
    basic_pack y;
    ((y.r[I] = ~a.r[I]), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator<<(basic_pack const& a, int n) noexcept {
    basic_pack y;
    ((y.r[I] = of(as_wrapping(a.r[I]) << static_cast<detail::wrapping_t<T>>(n))), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend basic_pack operator>>(basic_pack const& a, int n) noexcept {
    basic_pack y;
    ((y.r[I] = a.r[I] >> static_cast<T>(n)), ...);
    return y;
  }

  PLACEMENT_ALWAYS_INLINE friend mask_type operator==(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    mask_type y;
    ((y.bits.r[I] = detail::equal(a.r[I], b.r[I])), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend mask_type operator!=(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    mask_type y;
    ((y.bits.r[I] = detail::not_equal(a.r[I], b.r[I])), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend mask_type operator<(basic_pack const& a,
                                                     basic_pack const& b) noexcept {
    mask_type y;
    ((y.bits.r[I] = detail::less(a.r[I], b.r[I])), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend mask_type operator<=(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    mask_type y;
    ((y.bits.r[I] = detail::less_equal(a.r[I], b.r[I])), ...);
    return y;
  }
  PLACEMENT_ALWAYS_INLINE friend mask_type operator>(basic_pack const& a,
                                                     basic_pack const& b) noexcept {
    return b < a;
  }
  PLACEMENT_ALWAYS_INLINE friend mask_type operator>=(basic_pack const& a,
                                                      basic_pack const& b) noexcept {
    return b <= a;
  }

 private:
  using wrapping = detail::reg<detail::wrapping_t<T>, width>;
  PLACEMENT_ALWAYS_INLINE static wrapping as_wrapping(register_type x) {
    return __builtin_bit_cast(wrapping, x);
  }
  PLACEMENT_ALWAYS_INLINE static register_type of(wrapping x) {
    return __builtin_bit_cast(register_type, x);
  }
};

/// The elements from `from` on, N of them; other lanes become 0.
template <class T, int N, int... I>
PLACEMENT_ALWAYS_INLINE inline void load_into(basic_pack<T, N, std::integer_sequence<int, I...>>& x,
                                              void const* from) noexcept {
  constexpr std::size_t bytes = static_cast<std::size_t>(N) * sizeof(T) / sizeof...(I);
  (std::memcpy(&x.r[I], static_cast<unsigned char const*>(from) + I * bytes, bytes), ...);
}
template <class T, int N, int... I> requires(!number_of_16_bits<T>)
PLACEMENT_ALWAYS_INLINE inline void store(
    T* p, basic_pack<T, N, std::integer_sequence<int, I...>> const& x) noexcept {
  constexpr std::size_t bytes = static_cast<std::size_t>(N) * sizeof(T) / sizeof...(I);
  (std::memcpy(reinterpret_cast<unsigned char*>(p) + I * bytes, &x.r[I], bytes), ...);
}

namespace detail {
/// The lanes in memory.
template <class V> struct lane_array {
  typename V::element at[static_cast<std::size_t>(V::lanes)];
  PLACEMENT_ALWAYS_INLINE explicit lane_array(V const& x) { store(at, x); }
};
}  // namespace detail

/// f(lane...) for each lane: what has no vector form.
template <class To, class F, class T, int N, class R, class... More>
PLACEMENT_ALWAYS_INLINE inline pack<To, N> by_lanes(F const& f, basic_pack<T, N, R> const& x,
                                                    More const&... more) noexcept {
  To to[static_cast<std::size_t>(N)];
  [&](auto... from) PLACEMENT_ALWAYS_INLINE {
    for (std::size_t i = 0; i != static_cast<std::size_t>(N); ++i) to[i] = f(from.at[i]...);
  }(detail::lane_array(x), detail::lane_array(more)...);
  pack<To, N> y{};
  load_into(y, to);
  return y;
}

template <class V> inline constexpr bool is_pack = false;
template <class T, int N, class R> inline constexpr bool is_pack<basic_pack<T, N, R>> = true;
template <class V> inline constexpr bool is_mask = false;
template <class I, int N> inline constexpr bool is_mask<mask<I, N>> = true;

namespace detail {
template <class V> struct element_type {
  using type = V;
};
template <class V> requires(is_pack<V> || is_mask<V>)
struct element_type<V> {
  using type = typename V::element;
};
}  // namespace detail
/// The element type of a pack; bool of a mask; any other type itself.
template <class V> using element_of = typename detail::element_type<V>::type;

}}}  // namespace placement::v0_1::simd
