#pragma once
/// The next number of a type, of packs.

#include <placement/kernels/simd_math.hpp>

#include <limits>

namespace placement { inline namespace v0_1 { namespace simd {

/// std::nextafter: the number after x in the direction of y. Numbers of one sign are in the order
/// of their bits.
template <class V> requires is_pack<V>
PLACEMENT_ALWAYS_INLINE inline V next_number(V const& x, V const& y) noexcept {
  auto const a = widened(x), b = widened(y);
  using W = std::remove_const_t<decltype(a)>;
  using U = bits_of<W>;
  auto const step = [&](U const& bits) PLACEMENT_ALWAYS_INLINE {
    return bits + (~ones_where<W>((a < b) == (a > W{})) | 1);
  };
  V moved;
  if constexpr (number_of_16_bits<typename V::element>)
    moved = V::from_bits(convert<std::uint16_t>(step(convert<std::uint32_t>(to_bits16(x)))));
  else moved = math::from_bits<V>(step(math::to_bits(x)));
  V const least(std::numeric_limits<typename V::element>::denorm_min());
  V const smallest = select(b < W{}, -least, least);
  V const next = select(a == b, y, select(a == W{}, smallest, moved));
  return select((a != a) | (b != b), x + y, next);
}

}}}  // namespace placement::v0_1::simd
