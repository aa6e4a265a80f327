#pragma once
/// Instructions by which the lanes of a warp exchange values: `shfl`, `vote`, `match`, `redux`.
/// `mask` has all lanes that the instruction names, except in `shfl` lanes that another mask names.

#include "block.hpp"

#include <string>

namespace ptx {

enum class shuffle_mode : u8 { butterfly, up, down, index };

/// The lane from which `lane` reads, and whether it is within the segment. Source: PTX ISA, `shfl`.
struct shuffle_source {
  int lane;
  bool inside;
};
inline shuffle_source source_of(shuffle_mode mode, int lane, u32 by, u32 clamp_and_segment) {
  u32 const own = static_cast<u32>(lane), segment = clamp_and_segment >> 8 & 31;
  u32 const clamp = clamp_and_segment & 31;
  by &= 31;
  auto const last = static_cast<int>((own & segment) | (clamp & ~segment));
  int j = 0;
  switch (mode) {
    case shuffle_mode::butterfly: j = static_cast<int>(own ^ by); break;
    case shuffle_mode::up: j = lane - static_cast<int>(by); break;
    case shuffle_mode::down: j = lane + static_cast<int>(by); break;
    case shuffle_mode::index: j = static_cast<int>((own & segment) | (by & ~segment)); break;
  }
  bool const inside = mode == shuffle_mode::up ? j >= last : j <= last;
  return {inside ? j : lane, inside};
}

/// `shfl.sync`
inline void shuffle(block& b, instruction const& i, lane_mask mask) {
  u32 const* const value = b.at<u32>(i.from[0]);
  u32 const* const by = b.at<u32>(i.from[1]);
  u32 const* const segment = b.at<u32>(i.from[2]);
  u32 result[lanes]{}, inside = 0;
  each_lane(mask, [&](int lane) {
    auto const s = source_of(static_cast<shuffle_mode>(i.mode), lane, by[lane], segment[lane]);
    if ((mask >> s.lane & 1) == 0)
      b.fail(fault::kind::synchronization, i, lane,
             "shuffle from lane " + std::to_string(s.lane) + ", which takes no part");
    result[lane] = value[s.lane];
    inside |= static_cast<u32>(s.inside) << lane;
  });
  u32* const d = b.at<u32>(i.to[0]);
  each_lane(mask, [&](int lane) { d[lane] = result[lane]; });
  if (i.count == 2) b.predicate(i.to[1]) = merged(b.predicate(i.to[1]), inside, mask);
}

enum class vote_mode : u8 { all, any, uniform, ballot };

/// `vote.sync`: the predicate may be negated (i.offset is 1)
inline void vote(block& b, instruction const& i, lane_mask mask) {
  u32 const p = b.predicate(i.from[0]) ^ (i.offset != 0 ? all_lanes : 0);
  u32 const yes = p & mask;
  auto const mode = static_cast<vote_mode>(i.mode);
  if (mode == vote_mode::ballot) {
    u32* const d = b.at<u32>(i.to[0]);
    each_lane(mask, [&](int lane) { d[lane] = yes; });
    return;
  }
  bool const result = mode == vote_mode::all   ? yes == mask
                      : mode == vote_mode::any ? yes != 0
                                               : yes == mask || yes == 0;
  b.predicate(i.to[0]) = merged(b.predicate(i.to[0]), result ? all_lanes : 0, mask);
}

/// `match.any.sync`: the lanes with the same value
template <class T> void match_any(block& b, instruction const& i, lane_mask mask) {
  u32* const d = b.at<u32>(i.to[0]);
  T const* const value = b.at<T>(i.from[0]);
  each_lane(mask, [&](int lane) {
    u32 same = 0;
    each_lane(mask, [&](int other) { same |= u32{value[other] == value[lane]} << other; });
    d[lane] = same;
  });
}
/// `match.all.sync`: the mask if all values are equal, otherwise 0
template <class T> void match_all(block& b, instruction const& i, lane_mask mask) {
  u32* const d = b.at<u32>(i.to[0]);
  T const* const value = b.at<T>(i.from[0]);
  T const first = value[std::countr_zero(mask)];
  bool equal = true;
  each_lane(mask, [&](int lane) { equal = equal && value[lane] == first; });
  each_lane(mask, [&](int lane) { d[lane] = equal ? mask : 0; });
  if (i.count == 2)
    b.predicate(i.to[1]) = merged(b.predicate(i.to[1]), equal ? all_lanes : 0, mask);
}

/// `redux.sync`
template <auto F, class T> void reduce_lanes(block& b, instruction const& i, lane_mask mask) {
  T* const d = b.at<T>(i.to[0]);
  T const* const value = b.at<T>(i.from[0]);
  int const first = std::countr_zero(mask);
  T all = value[first];
  each_lane(mask & ~(lane_mask{1} << first), [&](int lane) { all = F(all, value[lane]); });
  each_lane(mask, [&](int lane) { d[lane] = all; });
}

/// `bar.warp.sync`: accesses before it are ordered before those after it
inline void warp_barrier(block& b, instruction const&, lane_mask) { ++b.warps[b.current].step; }

}  // namespace ptx
