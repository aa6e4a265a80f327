#pragma once
/// Follows bytes that a block reads from uninitialized shared memory. Copies of classes read
/// padding, so a read alone is no fault: registers have undefined bytes until something computes
/// with them.

#include "block.hpp"

#include <algorithm>
#include <cstring>

namespace ptx {

/// Fails if a lane has no defined byte in the register.
inline void block::check_defined(instruction const& i, u32 offset, lane_mask mask) const {
  u8 const width = of.code.widths[offset / 8];
  if (width == 0) return;
  u8 const* const undefined = warps[current].undefined.data() + offset;
  each_lane(mask, [&](int lane) {
    u8 const* const first = undefined + static_cast<u32>(lane) * width;
    if (std::find(first, first + width, u8{0}) == first + width) fail_undefined(i, lane);
  });
}

inline void block::execute_with_undefined(instruction const& i, lane_mask mask) {
  std::vector<u8>& undefined = warps[current].undefined;
  if (i.address != 0) check_defined(i, i.address, mask);
  if (i.result == bytes_of_result::computed)
    for (u32 const from : i.from) check_defined(i, from, mask);
  if (i.result != bytes_of_result::copied) {
    if (i.result != bytes_of_result::stored) {
      for (u32 const to : i.to) {
        u32 const width = of.code.widths[to / 8];
        each_lane(mask, [&](int lane) {
          std::fill_n(undefined.begin() + to + static_cast<u32>(lane) * width, width, u8{0});
        });
      }
    }
    i.work(*this, i, mask);
    return;
  }
  // The same copy of the undefined bytes, with the values of operands such as a lane's number.
  auto const bytes = [&](u32 at) { return std::max<u32>(8, of.code.widths[at / 8] * u32{lanes}); };
  u8* const values = registers_;
  for (u32 n = i.copied; n != 4; ++n) {
    check_defined(i, i.from[n], mask);
    std::memcpy(undefined.data() + i.from[n], values + i.from[n], bytes(i.from[n]));
  }
  registers_ = undefined.data();
  i.work(*this, i, mask);
  registers_ = values;
  for (u32 n = i.copied; n != 4; ++n)
    std::memset(undefined.data() + i.from[n], 0, bytes(i.from[n]));
  i.work(*this, i, mask);
}

inline void block::see_undefined_shared(instruction const& i, u64 offset, u32 bytes, bool write,
                                        int lane) {
  warp& w = warps[current];
  u8* const of_memory = shared_undefined_.data() + offset;
  u32 const width = bytes / i.count;
  auto const of_register = [&](u32 at) {
    return w.undefined.data() + at + static_cast<u32>(lane) * width;
  };
  if (write) {
    std::fill_n(of_memory, bytes, u8{0});
    if (i.result == bytes_of_result::stored && !w.undefined.empty())
      for (u32 n = 0; n != i.count; ++n)
        std::memcpy(of_memory + n * width, of_register(i.from[n]), width);
    return;
  }
  bool const defined = std::find(of_memory, of_memory + bytes, u8{0xff}) == of_memory + bytes;
  if (defined) return;
  w.undefined_line = i.line;
  if (i.result != bytes_of_result::loaded) fail_undefined(i, lane);
  if (w.undefined.empty()) w.undefined.resize(w.registers.size());
  for (u32 n = 0; n != i.count; ++n)
    std::memcpy(of_register(i.to[n]), of_memory + n * width, width);
}

/// Whether an access stores undefined bytes only. Padding is stored beside other bytes.
inline bool block::stores_undefined(instruction const& i, u32 bytes, int lane) const {
  std::vector<u8> const& undefined = warps[current].undefined;
  if (i.result != bytes_of_result::stored || undefined.empty()) return false;
  u32 const width = bytes / i.count;
  for (u32 n = 0; n != i.count; ++n) {
    u8 const* const first = undefined.data() + i.from[n] + static_cast<u32>(lane) * width;
    if (std::find(first, first + width, u8{0}) != first + width) return false;
  }
  return true;
}

}  // namespace ptx
