#pragma once
/// Random words for several elements at once: the same as kernels/philox.hpp gives for each.

#include <placement/kernels/simd_convert.hpp>
#include <placement/math/philox.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

namespace detail {
/// The product of the lower halves of 64-bit lanes.
template <class V> [[gnu::always_inline]] inline V multiply_lower(V a, V b) {
  constexpr bool is_x86 = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (is_x86 && sizeof(V) == 16)
    return bits_as<std::uint64_t>(__builtin_ia32_pmuludq128(bits_as<int>(a), bits_as<int>(b)));
  else if constexpr (is_x86 && sizeof(V) == 32)
    return bits_as<std::uint64_t>(__builtin_ia32_pmuludq256(bits_as<int>(a), bits_as<int>(b)));
  else return (a & 0xffffffff) * (b & 0xffffffff);
}
}  // namespace detail

/// Word 0 of the block of random words of each element: random_stream::block(i).word[0].
/// Words are the lower halves of 64-bit lanes, whose upper halves have any value until the end.
template <int N, int... I>
[[gnu::always_inline]] inline pack<std::uint32_t, N> first_random_word(
    random_stream const& from,
    basic_pack<index_t, N, std::integer_sequence<int, I...>> const& i) noexcept {
  using words = pack<std::uint64_t, N>;
  auto const product = [](std::uint64_t a, words const& b) __attribute__((always_inline)) {
    words const factor(a);
    words y;
    ((y.r[I] = detail::multiply_lower(factor.r[I], b.r[I])), ...);
    return y;
  };
  words c0 = bit_cast<std::uint64_t>(i), c1 = c0 >> 32, c2(from.number), c3(from.number >> 32);
  auto low = static_cast<std::uint32_t>(from.seed),
       high = static_cast<std::uint32_t>(from.seed >> 32);
  for (int round = 0; round != 10; ++round) {
    words const p = product(0xD2511F53, c0), q = product(0xCD9E8D57, c2);
    c0 = (q >> 32) ^ c1 ^ words(low);
    c1 = q;
    c2 = (p >> 32) ^ c3 ^ words(high);
    c3 = p;
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return convert<std::uint32_t>(c0);
}

}}}  // namespace placement::v0_1::simd
