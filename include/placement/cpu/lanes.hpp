#pragma once
/// Vector registers by GCC's vector extension. g++, clang and nvcc's host compiler compile them to
/// vector instructions at every -O and for every processor.

#include <placement/math/float16.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The type that sums products of T: float for 16-bit floats, unsigned for integers, which wrap.
template <class T> struct summed_as {
  using type = computed_in<T>;
};
template <class T> requires std::is_integral_v<T>
struct summed_as<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T> using summed = typename summed_as<T>::type;

/// A vector of N numbers; for N = 1 the number itself.
template <class S, int N> struct lanes_of {
  using type [[gnu::vector_size(static_cast<std::size_t>(N) * sizeof(S))]] = S;
};
template <class S> struct lanes_of<S, 1> {
  using type = S;
};
template <class S, int N> using lanes = typename lanes_of<S, N>::type;
template <class S, int N, int Count>
using lane_array = lanes<S, N>[static_cast<std::size_t>(Count)];

/// Numbers of type S in a register of `Bytes` bytes; 1 for a type without vectors.
template <class S, int Bytes>
inline constexpr int lanes_in = sizeof(S) > 8 || is_complex<S>
                                    ? 1
                                    : Bytes / static_cast<int>(sizeof(S));

/// Calls f(0), f(1) ... f(N - 1) with constants. Arrays that f indexes with them become registers
/// at every -O.
template <int N, class F> PLACEMENT_ALWAYS_INLINE inline void each(F const& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) PLACEMENT_ALWAYS_INLINE {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}

/// Loads N elements from p on, converted to the type of sums.
template <int N, class T>
PLACEMENT_ALWAYS_INLINE inline lanes<summed<T>, N> load_lanes(T const* p) {
  lanes<summed<T>, N> x{};
  if constexpr (N == 1) {
    x = static_cast<summed<T>>(widened(*p));
  } else if constexpr (sizeof(T) == sizeof(summed<T>)) {
    std::memcpy(&x, p, sizeof x);
  } else {
    for (int j = 0; j != N; ++j) x[j] = widened(p[j]);
  }
  return x;
}
template <int N, class T>
PLACEMENT_ALWAYS_INLINE inline void store_lanes(T* p, lanes<summed<T>, N> const& x) {
  if constexpr (N == 1) {
    *p = static_cast<T>(x);
  } else if constexpr (sizeof(T) == sizeof(summed<T>)) {
    std::memcpy(p, &x, sizeof x);
  } else {
    for (int j = 0; j != N; ++j) p[j] = static_cast<T>(x[j]);
  }
}

/// Copies Count elements in whole registers.
template <int Bytes, std::size_t Count, class T>
PLACEMENT_ALWAYS_INLINE inline void copy_by_lanes(T* to, T const* from) {
  constexpr std::size_t N = Bytes / sizeof(T);
  if constexpr (Count >= N) {
    lanes<unsigned char, Bytes> x;
    std::memcpy(&x, from, sizeof x);
    std::memcpy(static_cast<void*>(to), &x, sizeof x);
    copy_by_lanes<Bytes, Count - N>(to + N, from + N);
  } else if constexpr (Count != 0) {
    std::memcpy(static_cast<void*>(to), from, Count * sizeof(T));
  }
}

/// sum + x y for each lane; one instruction on processors with FMA.
template <int N, class S>
PLACEMENT_ALWAYS_INLINE inline void add_product(lanes<S, N>& sum, S x, lanes<S, N> const& y) {
  if constexpr (N == 1 && std::is_integral_v<S>) {
    using wide = std::common_type_t<S, unsigned>;  // no promotion to a signed type
    sum = static_cast<S>(static_cast<wide>(sum) + static_cast<wide>(x) * static_cast<wide>(y));
  } else if constexpr (is_complex<S>) {
    sum = complex_math<S>::add(sum, complex_math<S>::multiply(x, y));
  } else {
    sum += x * y;
  }
}

/// An unsigned integer of the size of S.
template <class S>
using bits_of_lane = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
/// No bits for N lanes, then all bits for as many: the mask of the last k lanes begins at k.
template <class S, int N> struct last_lanes_masks {
  alignas(64) bits_of_lane<S> at[2 * static_cast<std::size_t>(N)] = {};

  constexpr last_lanes_masks() {
    for (int i = N; i != 2 * N; ++i) at[i] = ~bits_of_lane<S>{};
  }
};
template <class S, int N> inline constexpr last_lanes_masks<S, N> masks_of_last_lanes{};
/// x & mask, of bits.
template <class S, int N>
PLACEMENT_ALWAYS_INLINE inline void keep_bits(lanes<S, N>& x, bits_of_lane<S> const* mask) {
  lanes<bits_of_lane<S>, N> bits, kept;
  std::memcpy(&kept, mask, sizeof kept);
  std::memcpy(&bits, &x, sizeof bits);
  bits &= kept;
  std::memcpy(&x, &bits, sizeof x);
}

/// The sum of all lanes, added pairwise.
template <class S, int N> PLACEMENT_ALWAYS_INLINE inline S sum_of_lanes(lanes<S, N> const& x) {
  if constexpr (N == 1) {
    return x;
  } else {
    lane_array<S, N / 2, 2> half;
    std::memcpy(&half, &x, sizeof x);
    if constexpr (N == 2) return static_cast<S>(half[0] + half[1]);
    else return sum_of_lanes<S, N / 2>(half[0] + half[1]);
  }
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
