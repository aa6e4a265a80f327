#pragma once
/// Registers of floats as registers of doubles, and back.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/kernels/simd_register.hpp>

#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The lanes of x as doubles. g++ 12 converts to 64 bytes in halves, so the instruction is called
/// by its name: by_level.hpp has declared a function of that level.
template <int N>
PLACEMENT_ALWAYS_INLINE inline void widen_lanes(lanes<double, N>& to, lanes<float, N> const& x) {
  constexpr bool has_names = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (has_names && N == 8) {
    lanes<double, N> const none{};
    to = __builtin_ia32_cvtps2pd512_mask(x, none, -1, 4);
  } else {
    to = __builtin_convertvector(x, lanes<double, N>);
  }
}
template <int First, int N, int M, int... I>
PLACEMENT_ALWAYS_INLINE inline void widen_lanes(lanes<double, N>& to, lanes<float, M> const& x,
                                                std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  lanes<float, N> const some = PLACEMENT_SHUFFLE(x, x, (First + I)...);
  widen_lanes<N>(to, some);
}
/// The N lanes of x from lane First on as doubles. x has M lanes of type T.
template <int First, int N, int M, class T>
PLACEMENT_ALWAYS_INLINE inline void widen_part(lanes<double, N>& to, lanes<T, M> const& x) {
  if constexpr (sizeof(T) == sizeof(double)) to = x;
  else if constexpr (N == 2)  // g++ 12 makes no vector code of conversions from 8 bytes
    to = lanes<double, N>{static_cast<double>(x[First]), static_cast<double>(x[First + 1])};
  else if constexpr (N == M) widen_lanes<N>(to, x);
  else widen_lanes<First, N, M>(to, x, std::make_integer_sequence<int, N>{});
}
/// The lanes of x as floats, as widen_part() makes doubles of them.
template <int N>
PLACEMENT_ALWAYS_INLINE inline void narrow_lanes(lanes<float, N>& to, lanes<double, N> const& x) {
  constexpr bool has_names = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (N == 2) {
    to = lanes<float, N>{static_cast<float>(x[0]), static_cast<float>(x[1])};
  } else if constexpr (has_names && N == 8) {
    lanes<float, N> const none{};
    to = __builtin_ia32_cvtpd2ps512_mask(x, none, -1, 4);
  } else {
    to = __builtin_convertvector(x, lanes<float, N>);
  }
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
