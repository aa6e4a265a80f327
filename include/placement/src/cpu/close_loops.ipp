#pragma once
/// Definitions of close_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/close_loops.hpp>
#include <placement/cpu/random_lanes.hpp>
#include <placement/cpu/register_loop.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Some results, in bytes of one register: those of `registers` registers of operands.
template <class T, class Y> struct close_loop {
  bool* to;
  T const* x;
  Y y;  // an address, or a number
  index_t n;
  typename close_loops<T>::tolerance within;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr index_t length = Bytes;
    close_loop const s = *this;  // a copy, which stores to memory leave in registers
    index_t i = 0;
    for (; s.n - i >= length; i += length) {
      if constexpr (std::is_pointer_v<Y>) s.template write<Bytes>(s.to + i, s.x + i, s.y + i);
      else s.template write<Bytes>(s.to + i, s.x + i, s.y);
    }
    if (i == s.n) return;
    auto const m = static_cast<std::size_t>(s.n - i);
    T a[static_cast<std::size_t>(length)] = {}, b[static_cast<std::size_t>(length)] = {};
    bool some[static_cast<std::size_t>(length)];
    std::memcpy(a, s.x + i, m * sizeof(T));
    if constexpr (std::is_pointer_v<Y>) {
      std::memcpy(b, s.y + i, m * sizeof(T));
      s.template write<Bytes>(some, a, static_cast<T const*>(b));
    } else {
      s.template write<Bytes>(some, a, s.y);
    }
    std::memcpy(s.to + i, some, m);
  }

 private:
  using bits_type = math::bits_of<T>;

  template <int Bytes, class P>
  PLACEMENT_ALWAYS_INLINE void write(bool* out, T const* p, P q) const {
    constexpr int registers = sizeof(T), N = Bytes / registers;
    using V = lane_numbers<T, N, registers>;
    V a, b;
    load(a, p);
    if constexpr (std::is_pointer_v<P>) load(b, q);
    else b = V(q);
    V const allowed = V(within.atol) + rounded_product(V(within.rtol), math::magnitude(b));
    V const apart = math::magnitude(a - b), none = b - b;
    lane_numbers<bits_type, N, registers> close;
    each<registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      using mask = typename decltype(close)::register_type;
      mask near = __builtin_bit_cast(mask, apart.v[i] <= allowed.v[i]);
      mask finite = __builtin_bit_cast(mask, none.v[i] == none.v[i]);
      mask equal = __builtin_bit_cast(mask, a.v[i] == b.v[i]);
      PLACEMENT_ROUNDED_WIDE(near);
      PLACEMENT_ROUNDED_WIDE(finite);
      PLACEMENT_ROUNDED_WIDE(equal);
      close.v[i] = (near & finite) | equal;
    });
    if (within.equal_nan) {
      each<registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
        using mask = typename decltype(close)::register_type;
        mask first = __builtin_bit_cast(mask, a.v[i] != a.v[i]);
        mask second = __builtin_bit_cast(mask, b.v[i] != b.v[i]);
        PLACEMENT_ROUNDED_WIDE(first);
        PLACEMENT_ROUNDED_WIDE(second);
        close.v[i] = close.v[i] | (first & second);
      });
    }
    store_masks(out, close);
  }
  /// One register at a time: g++ copies several in parts that are no registers.
  template <int N, int R>
  PLACEMENT_ALWAYS_INLINE static void load(lane_numbers<T, N, R>& x, T const* p) {
    each<R>([&](auto i)
                PLACEMENT_ALWAYS_INLINE { std::memcpy(&x.v[i], p + i * N, sizeof x.v[i]); });
  }
  /// A bool for each mask. Narrower registers than 64 bytes have no shuffle of single bytes, so
  /// their masks are narrowed in parts of 16 bytes.
  template <class U, int N, int R>
  PLACEMENT_ALWAYS_INLINE static void store_masks(bool* out, lane_numbers<U, N, R> const& x) {
    constexpr int size = static_cast<int>(sizeof(U)), part = 16 / size;
    if constexpr (size == 1) {
      auto const y = x & lane_numbers<U, N, R>(U{1});
      std::memcpy(static_cast<void*>(out), y.v, sizeof y.v);
    } else if constexpr (N != part && N * size != 64) {
      lane_numbers<U, part, R * N / part> parts;
      constexpr int each_has = N / part;
      each<R * each_has>([&](auto i) PLACEMENT_ALWAYS_INLINE {
        auto const* const from = reinterpret_cast<unsigned char const*>(&x.v[i / each_has]);
        std::memcpy(&parts.v[i], from + i % each_has * 16, 16);
      });
      store_masks(out, parts);
    } else {
      using half = std::conditional_t<size == 8, std::uint32_t,
                                      std::conditional_t<size == 4, std::uint16_t, std::uint8_t>>;
      if constexpr (N == part) {
        lane_numbers<half, 2 * N, R / 2> y;
        each<R / 2>([&](auto i) PLACEMENT_ALWAYS_INLINE {
          lanes<U, N> const low = x.v[2 * i], high = x.v[2 * i + 1];
          y.v[i] = simd::detail::narrow_masks<half>(low, high);
        });
        store_masks(out, y);
      } else {
        constexpr std::make_integer_sequence<int, 2 * N> all{};
        store_masks(out, even_lanes(bit_cast<half>(x), all));
      }
    }
  }
};

template <class T>
void close_loops<T>::isclose(bool* to, T const* x, T const* y, index_t n, tolerance const& within) {
  run_by_width(close_loop<T, T const*>{to, x, y, n, within});
}
template <class T>
void close_loops<T>::isclose(bool* to, T const* x, T y, index_t n, tolerance const& within) {
  run_by_width(close_loop<T, T>{to, x, y, n, within});
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct close_loops<float>;
template struct close_loops<double>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
