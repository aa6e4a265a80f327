#pragma once
/// The types of PTX registers, and loops over the lanes of a warp.

#include <bit>
#include <cstdint>

namespace ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

/// The bits of a float of 16 bits: `f16` and `bf16` of PTX.
struct half {
  u16 bits;
};
struct brain {
  u16 bits;
};
/// Two of them in a register of 32 bits: `f16x2` and `bf16x2` of PTX.
template <class H> struct pair_of {
  H low, high;
};

/// A bit for each lane of a warp.
using lane_mask = u32;
inline constexpr int lanes = 32;
inline constexpr lane_mask all_lanes = 0xffffffffu;

/// Calls f(lane) for each lane of the mask. A full mask is one loop, which compilers vectorise.
template <class F> inline void each_lane(lane_mask mask, F const& f) {
  if (mask == all_lanes) {
    for (int lane = 0; lane < lanes; ++lane) f(lane);
  } else {
    for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
  }
}

/// `word` with the bits of `mask` replaced by those of `bits`.
inline u32 merged(u32 word, u32 bits, lane_mask mask) { return (word & ~mask) | (bits & mask); }

template <class T> struct tag {
  using type = T;
};

}  // namespace ptx
