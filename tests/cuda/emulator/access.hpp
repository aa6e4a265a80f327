#pragma once
/// Accesses to memory: `ld`, `st`, `atom`, `red`, `cp.async`.

#include "block.hpp"
#include "number.hpp"
#include "undefined.hpp"

#include <atomic>
#include <mutex>

namespace ptx {

inline u64 address_in(block& b, instruction const& i, int lane) {
  u64 const base = i.width == 4 ? b.at<u32>(i.address)[lane] : b.at<u64>(i.address)[lane];
  u64 const address = base + static_cast<u64>(i.offset);
  return i.where == space::shared ? address & 0xffffffffu : address;
}

/// The addresses of all lanes. True if they are aligned and in the range of the last access: then
/// no lane needs a check of its own.
inline bool addresses_within_last(block& b, instruction const& i, lane_mask mask, u32 bytes,
                                  u64 (&address)[lanes]) {
  if (i.where == space::shared) return false;
  u64 any = 0, low = ~u64{0}, high = 0;
  each_lane(mask, [&](int lane) {
    u64 const a = address[lane] = address_in(b, i, lane);
    any |= a, low = std::min(low, a), high = std::max(high, a);
  });
  if (any % bytes != 0 || !b.within_last(low, high + bytes)) return false;
  b.stats.accesses += static_cast<u64>(std::popcount(mask));
  return true;
}

/// `ld`, also of vectors
template <class T> void load(block& b, instruction const& i, lane_mask mask) {
  u32 const bytes = static_cast<u32>(sizeof(T)) * i.count;
  if (u64 address[lanes]; addresses_within_last(b, i, mask, bytes, address)) {
    for (u32 n = 0; n != i.count; ++n) {
      T* const d = b.at<T>(i.to[n]);
      each_lane(mask, [&](int lane) { d[lane] = reinterpret_cast<T const*>(address[lane])[n]; });
    }
    return;
  }
  each_lane(mask, [&](int lane) {
    u8 const* const p = b.access(i, address_in(b, i, lane), bytes, false, lane);
    for (u32 n = 0; n != i.count; ++n)
      std::memcpy(b.at<T>(i.to[n]) + lane, p + sizeof(T) * n, sizeof(T));
  });
}
/// `st`, also of vectors
template <class T> void store(block& b, instruction const& i, lane_mask mask) {
  u32 const bytes = static_cast<u32>(sizeof(T)) * i.count;
  if (u64 address[lanes]; addresses_within_last(b, i, mask, bytes, address)) {
    for (u32 n = 0; n != i.count; ++n) {
      T const* const s = b.at<T>(i.from[n]);
      each_lane(mask, [&](int lane) { reinterpret_cast<T*>(address[lane])[n] = s[lane]; });
    }
    return;
  }
  each_lane(mask, [&](int lane) {
    u8* const p = b.access(i, address_in(b, i, lane), bytes, true, lane);
    for (u32 n = 0; n != i.count; ++n)
      std::memcpy(p + sizeof(T) * n, b.at<T>(i.from[n]) + lane, sizeof(T));
  });
}

/// Ordered accesses of vectors, such as a flag beside a value, are one access for all threads.
inline std::mutex& ordered_vectors() {
  static std::mutex one;
  return one;
}
/// `ld` and `st` with an order, which other blocks may access at the same time
template <class T> void load_ordered(block& b, instruction const& i, lane_mask mask) {
  each_lane(mask, [&](int lane) {
    u8* const p =
        b.access(i, address_in(b, i, lane), static_cast<u32>(sizeof(T)) * i.count, false, lane);
    if (i.count == 1) {
      b.at<T>(i.to[0])[lane] = std::atomic_ref<T>(*reinterpret_cast<T*>(p)).load();
      return;
    }
    std::lock_guard const lock(ordered_vectors());
    for (u32 n = 0; n != i.count; ++n)
      std::memcpy(b.at<T>(i.to[n]) + lane, p + sizeof(T) * n, sizeof(T));
  });
}
template <class T> void store_ordered(block& b, instruction const& i, lane_mask mask) {
  each_lane(mask, [&](int lane) {
    u8* const p =
        b.access(i, address_in(b, i, lane), static_cast<u32>(sizeof(T)) * i.count, true, lane);
    if (i.count == 1) {
      std::atomic_ref<T>(*reinterpret_cast<T*>(p)).store(b.at<T>(i.from[0])[lane]);
      return;
    }
    std::lock_guard const lock(ordered_vectors());
    for (u32 n = 0; n != i.count; ++n)
      std::memcpy(p + sizeof(T) * n, b.at<T>(i.from[n]) + lane, sizeof(T));
  });
}

enum class atomic_operation : u8 { add, min, max, exch, cas, and_, or_, xor_, inc, dec };

/// The value that an atomic operation stores: `cas` compares with x and stores y.
template <class T, atomic_operation Op> T after_atomic(T before, T x, [[maybe_unused]] T y) {
  using enum atomic_operation;
  if constexpr (Op == exch) return x;
  else if constexpr (is_small_float<T>)
    return narrow<T>(static_cast<double>(to_float(before) + to_float(x)));
  else if constexpr (requires { before.low; })
    return {after_atomic<decltype(before.low), Op>(before.low, x.low, y.low),
            after_atomic<decltype(before.low), Op>(before.high, x.high, y.high)};
  else if constexpr (Op == cas) return before == x ? y : before;
  else if constexpr (std::is_floating_point_v<T>) return Op == add ? before + x : before;
  else if constexpr (Op == add) return wrapped_sum(before, x);
  else if constexpr (Op == min) return before < x ? before : x;
  else if constexpr (Op == max) return before > x ? before : x;
  else if constexpr (Op == and_) return static_cast<T>(before & x);
  else if constexpr (Op == or_) return static_cast<T>(before | x);
  else if constexpr (Op == xor_) return static_cast<T>(before ^ x);
  else if constexpr (Op == inc) return before >= x ? T{0} : static_cast<T>(before + 1);
  else return before == 0 || before > x ? x : static_cast<T>(before - 1);
}
/// `atom`, `red`: lanes one after another. Other blocks may run at the same time.
template <class T, atomic_operation Op>
void atomic(block& b, instruction const& i, lane_mask mask) {
  T* const d = b.at<T>(i.to[0]);
  T const* const x = b.at<T>(i.from[0]);
  T const* const y = b.at<T>(i.from[1]);
  each_lane(mask, [&](int lane) {
    u64 const address = address_in(b, i, lane);
    static_cast<void>(b.access(i, address, sizeof(T), false, lane));
    u8* const p = b.access(i, address, sizeof(T), true, lane);
    std::atomic_ref<T> const memory(*reinterpret_cast<T*>(p));
    T before = memory.load();
    while (!memory.compare_exchange_weak(before, after_atomic<T, Op>(before, x[lane], y[lane]))) {}
    d[lane] = before;
  });
}

/// `cp.async` copies at once. Bytes beyond the source's size, from[1], become 0.
inline void copy_to_shared(block& b, instruction const& i, lane_mask mask) {
  each_lane(mask, [&](int lane) {
    u32 const bytes = i.count, present = std::min<u32>(b.at<u32>(i.from[1])[lane], bytes);
    instruction from = i;
    from.where = space::host;
    u8 data[16]{};
    u64 const source = b.at<u64>(i.from[0])[lane];
    if (present != 0) std::memcpy(data, b.access(from, source, bytes, false, lane), present);
    std::memcpy(b.access(i, address_in(b, i, lane), bytes, true, lane), data, bytes);
  });
}

}  // namespace ptx
