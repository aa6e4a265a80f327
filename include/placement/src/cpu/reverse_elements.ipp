#pragma once
/// Definitions of reverse_elements.hpp.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/cpu/reverse_elements.hpp>
#include <placement/cpu/strided_copy.hpp>
#include <placement/kernels/simd_register.hpp>

#include <cstring>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

template <class W, int N, int... J>
PLACEMENT_ALWAYS_INLINE inline void reverse_lanes(lanes<W, N>& x,
                                                  std::integer_sequence<int, J...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  x = PLACEMENT_SHUFFLE(x, x, (N - 1 - J)...);
}
/// By registers of N elements, then one by one.
template <class W, int N>
PLACEMENT_ALWAYS_INLINE inline void reverse_words(unsigned char* to, unsigned char const* from,
                                                  index_t n) {
  constexpr index_t word = sizeof(W);
  index_t j = 0;
  if constexpr (N > 1)
    for (; n - j >= N; j += N) {
      lanes<W, N> x;
      std::memcpy(&x, from - (j + N - 1) * word, sizeof x);
      reverse_lanes<W, N>(x, std::make_integer_sequence<int, N>{});
      std::memcpy(to + j * word, &x, sizeof x);
    }
  for (; j < n; ++j) store_word(to + j * word, load_word<W>(from - j * word));
}

template <class W>
PLACEMENT_FOR_AVX2 inline void reverse_for_avx2(unsigned char* to, unsigned char const* from,
                                                index_t n) {
  reverse_words<W, 32 / static_cast<int>(sizeof(W))>(to, from, n);
}
template <class W>
PLACEMENT_FOR_AVX512 inline void reverse_for_avx512(unsigned char* to, unsigned char const* from,
                                                    index_t n) {
  reverse_words<W, 64 / static_cast<int>(sizeof(W))>(to, from, n);
}
template <class W> inline void reverse_of(unsigned char* to, unsigned char const* from, index_t n) {
  if constexpr (sizeof(W) == 4 || sizeof(W) == 8) {
    if constexpr (PLACEMENT_HAS_LEVELS || PLACEMENT_X86_LEVEL == 4) {
      cpu_level const level = cpu_level_in_use();
      if (level == cpu_level::avx512) return reverse_for_avx512<W>(to, from, n);
      if (level == cpu_level::avx2) return reverse_for_avx2<W>(to, from, n);
    }
    reverse_words<W, 16 / static_cast<int>(sizeof(W))>(to, from, n);
  } else {
    reverse_words<W, 1>(to, from, n);
  }
}

PLACEMENT_INLINE void reverse_elements(unsigned char* to, unsigned char const* from, index_t n,
                                       unsigned bytes) {
  with_word(bytes, [&]<class W>(W) { reverse_of<W>(to, from, n); });
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
