#pragma once
/// Definitions of divide_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/divide_loops.hpp>
#include <placement/cpu/lane_numbers.hpp>
#include <placement/cpu/register_loop.hpp>
#include <placement/cpu/widen_lanes.hpp>
#include <placement/kernels/simd_divide.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- what the formulas of kernels/simd_divide.hpp call, of registers

/// All ones where a < b. Masks are kept apart, as g++ for SSE2 combines those of doubles one lane
/// at a time.
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline math::bits_of<V> below(V const& a,
                                                      std::type_identity_t<V> const& b) noexcept {
  math::bits_of<V> y;
  each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    using mask = typename math::bits_of<V>::register_type;
    mask one = __builtin_bit_cast(mask, a.v[i] < b.v[i]);
    PLACEMENT_ROUNDED_WIDE(one);
    y.v[i] = one;
  });
  return y;
}
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline math::bits_of<V> operator<(
    V const& a, std::type_identity_t<V> const& b) noexcept {
  return below(a, b);
}
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline math::bits_of<V> operator>(
    V const& a, std::type_identity_t<V> const& b) noexcept {
  return below(b, a);
}
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V lesser(V const& a, std::type_identity_t<V> const& b) noexcept {
  return select(a < b, a, b);
}
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V greater(V const& a, std::type_identity_t<V> const& b) noexcept {
  return select(b < a, a, b);
}
/// Of numbers below 2^51 without a sign.
template <real_lanes V> PLACEMENT_ALWAYS_INLINE inline V nearbyint(V const& x) noexcept {
  V const magic(math::format<V>::magic);
  return (x + magic) - magic;
}
template <int N, int R>
PLACEMENT_ALWAYS_INLINE inline bool any(lane_numbers<std::uint64_t, N, R> const& mask) noexcept {
  auto all = mask.v[0];
  each<R - 1>([&](auto i) PLACEMENT_ALWAYS_INLINE { all |= mask.v[i + 1]; });
  std::uint64_t some[static_cast<std::size_t>(N)], found = 0;
  std::memcpy(some, &all, sizeof some);
  for (int j = 0; j != N; ++j) found |= some[j];
  return found != 0;
}

// ---- the loop

/// By several registers of doubles, in which floats are computed, too. y_step: 0 where y has as
/// many equal numbers as the registers.
template <class T> struct remainder_work {
  static constexpr index_t most_together = 16;

  T* to;
  T const *x, *y;
  index_t y_step, n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    using V = lane_numbers<double, Bytes / 8, 2>;
    constexpr index_t length = index_t{V::lanes_each} * V::registers;
    static_assert(length <= most_together);
    remainder_work const s = *this;  // a copy, which stores to memory leave in registers
    T a[static_cast<std::size_t>(length)], b[static_cast<std::size_t>(length)],
        some[static_cast<std::size_t>(length)];
    for (index_t i = 0; i < s.n; i += length) {
      T const *p = s.x + i, *q = s.y + i * s.y_step;
      T* out = s.to + i;
      index_t const m = s.n - i;
      if (m < length) {
        for (index_t j = 0; j != length; ++j) a[j] = b[j] = 1;
        std::memcpy(a, p, static_cast<std::size_t>(m) * sizeof(T));
        std::memcpy(b, q, static_cast<std::size_t>(m) * sizeof(T));
        p = a;
        q = b;
        out = some;
      }
      V u, v;
      load(u, p);
      load(v, q);
      store(out, remainder(u, v));
      if (m < length) std::memcpy(s.to + i, some, static_cast<std::size_t>(m) * sizeof(T));
    }
  }

 private:
  template <class V> PLACEMENT_ALWAYS_INLINE static V remainder(V const& x, V const& y) {
    V const a = math::magnitude(x), b = math::magnitude(y);
    // A multiple of b is then finite. False for NaN, an infinity and a divisor of 0.
    auto const is_near = (a < b * 0x1p24) & (b < V(0x1p970));
    V r = simd::detail::near_remainder(a, b);
    if (any(~is_near)) [[unlikely]]
      r = simd::detail::far_remainder(a, b);
    return math::with_sign(r, math::sign_of(x));
  }
  template <int N, int R>
  PLACEMENT_ALWAYS_INLINE static void load(lane_numbers<double, N, R>& to, T const* p) {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      lanes<T, N> some;
      lanes<double, N> wide;
      std::memcpy(&some, p + i * N, sizeof some);
      widen_part<0, N, N, T>(wide, some);
      to.v[i] = wide;
    });
  }
  template <int N, int R>
  PLACEMENT_ALWAYS_INLINE static void store(T* p, lane_numbers<double, N, R> const& x) {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      lanes<double, N> const wide = x.v[i];
      lanes<T, N> some;
      if constexpr (sizeof(T) == sizeof(double)) some = wide;
      else narrow_lanes<N>(some, wide);
      std::memcpy(p + i * N, &some, sizeof some);
    });
  }
};

template <class T> void remainder_loop(T* to, T const* x, T const* y, index_t n) {
  run_by_width(remainder_work<T>{to, x, y, 1, n});
}
template <class T> void remainder_loop(T* to, T const* x, T y, index_t n) {
  T some[static_cast<std::size_t>(remainder_work<T>::most_together)];
  for (T& one : some) one = y;
  run_by_width(remainder_work<T>{to, x, some, 0, n});
}

// ---- integers of 32 bits, by doubles, as no processor divides them

/// A mask of eight lanes.
inline constexpr unsigned char all_lanes = 0xff;

/// Lanes of x, from lane First on, as doubles. x has twice as many lanes.
template <int First, int M, int... I>
PLACEMENT_ALWAYS_INLINE inline void half_as_doubles(lanes<double, M>& to,
                                                    lanes<std::int32_t, 2 * M> const& x,
                                                    std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  constexpr bool has_names = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (has_names && M == 2) {
    to = __builtin_ia32_cvtdq2pd(PLACEMENT_SHUFFLE(x, x, First, First + 1, First, First + 1));
  } else {
    lanes<std::int32_t, M> const half = PLACEMENT_SHUFFLE(x, x, (First + I)...);
    if constexpr (has_names && M == 8) {  // g++ 12 converts to 64 bytes in halves
      lanes<double, M> const none{};
      to = __builtin_ia32_cvtdq2pd512_mask(half, none, all_lanes);
    } else {
      to = __builtin_convertvector(half, lanes<double, M>);
    }
  }
}
/// The whole parts of a and b, one after another.
template <int M, int... I>
PLACEMENT_ALWAYS_INLINE inline void join_whole_parts(lanes<std::int32_t, 2 * M>& to,
                                                     lanes<double, M> const& a,
                                                     lanes<double, M> const& b,
                                                     std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // as above
  constexpr bool has_names = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (has_names && M == 2) {
    to = PLACEMENT_SHUFFLE(__builtin_ia32_cvttpd2dq(a), __builtin_ia32_cvttpd2dq(b), 0, 1, 4, 5);
  } else {
    lanes<std::int32_t, M> low, high;
    if constexpr (has_names && M == 8) {
      lanes<std::int32_t, M> const none{};
      low = __builtin_ia32_cvttpd2dq512_mask(a, none, static_cast<char>(all_lanes), 4);
      high = __builtin_ia32_cvttpd2dq512_mask(b, none, static_cast<char>(all_lanes), 4);
    } else {
      low = __builtin_convertvector(a, lanes<std::int32_t, M>);
      high = __builtin_convertvector(b, lanes<std::int32_t, M>);
    }
    to = PLACEMENT_SHUFFLE(low, high, I...);
  }
}

/// As simd::quotient. Divisors whose quotient is no int32, or none, are replaced by 2.
struct quotient_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& by) {
    using T = simd::detail::lane_t<V>;
    using signed_lanes = lanes<std::int32_t, N>;
    using unsigned_lanes = lanes<std::uint32_t, N>;
    constexpr bool is_signed = std::is_signed_v<T>;
    V const none{}, unit = is_signed ? none - 1 : none + 1;
    signed_lanes no_divisor = by == none, is_unit = by == unit;
    PLACEMENT_ROUNDED_WIDE(no_divisor);
    PLACEMENT_ROUNDED_WIDE(is_unit);
    V const divisor = (no_divisor | is_unit) != 0 ? none + 2 : by;
    signed_lanes q;
    divide<N, is_signed>(q, __builtin_bit_cast(signed_lanes, x),
                         __builtin_bit_cast(signed_lanes, divisor));
    unsigned_lanes const u = __builtin_bit_cast(unsigned_lanes, x), of_unit = is_signed ? 0 - u : u;
    y = __builtin_bit_cast(V, q);
    y = is_unit != 0 ? __builtin_bit_cast(V, of_unit) : y;
    PLACEMENT_ROUNDED_WIDE(y);
    y = no_divisor != 0 ? none : y;
  }

 private:
  /// x, by: the bits of T. They become doubles as int32, with 2^31 subtracted before and added
  /// then.
  template <int N, bool IsSigned, class V>
  PLACEMENT_ALWAYS_INLINE static void divide(V& q, V const& dividend, V const& divisor) {
    V x = dividend, by = divisor;
    constexpr int M = N / 2;
    constexpr std::make_integer_sequence<int, M> half{};
    constexpr double added = IsSigned ? 0 : 0x1p31;
    if constexpr (!IsSigned) {
      x ^= std::numeric_limits<std::int32_t>::min();
      by ^= std::numeric_limits<std::int32_t>::min();
    }
    lanes<double, M> a[2], b[2];
    half_as_doubles<0, M>(a[0], x, half);
    half_as_doubles<M, M>(a[1], x, half);
    half_as_doubles<0, M>(b[0], by, half);
    half_as_doubles<M, M>(b[1], by, half);
    for (int k = 0; k != 2; ++k) {
      if constexpr (IsSigned) a[k] = a[k] / b[k];
      else a[k] = (a[k] + added) / (b[k] + added);
    }
    join_whole_parts<M>(q, a[0], a[1], std::make_integer_sequence<int, N>{});
  }
};
struct remainder_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& by) {
    using unsigned_lanes = lanes<std::uint32_t, N>;  // which wrap
    V q;
    quotient_lanes::apply<N>(q, x, by);
    auto const r = __builtin_bit_cast(unsigned_lanes, x) -
                   __builtin_bit_cast(unsigned_lanes, q) * __builtin_bit_cast(unsigned_lanes, by);
    y = by == 0 ? by : __builtin_bit_cast(V, r);
  }
};

template <class T> void divide_loops<T>::quotient(T* to, T const* x, T const* y, index_t n) {
  run_registers<quotient_lanes>(to, n, x, y);
}
template <class T> void divide_loops<T>::quotient(T* to, T const* x, T y, index_t n) {
  run_registers<quotient_lanes>(to, n, x, y);
}
template <class T> void divide_loops<T>::remainder(T* to, T const* x, T const* y, index_t n) {
  run_registers<remainder_lanes>(to, n, x, y);
}
template <class T> void divide_loops<T>::remainder(T* to, T const* x, T y, index_t n) {
  run_registers<remainder_lanes>(to, n, x, y);
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template void remainder_loop(float* to, float const* x, float const* y, index_t n);
template void remainder_loop(double* to, double const* x, double const* y, index_t n);
template void remainder_loop(float* to, float const* x, float y, index_t n);
template void remainder_loop(double* to, double const* x, double y, index_t n);
template struct divide_loops<std::int32_t>;
template struct divide_loops<std::uint32_t>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
