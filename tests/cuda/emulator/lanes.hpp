#pragma once
/// Instructions that compute in each lane alone: a function of an instruction's operands, as a loop
/// over the lanes.

#include "block.hpp"
#include "number.hpp"

#include <atomic>

namespace ptx {

/// D F(A)
template <auto F, class D, class A> void unary(block& b, instruction const& i, lane_mask mask) {
  D* const d = b.at<D>(i.to[0]);
  A const* const x = b.at<A>(i.from[0]);
  each_lane(mask, [&](int lane) { d[lane] = F(x[lane]); });
}
/// D F(A, B)
template <auto F, class D, class A, class B = A>
void binary(block& b, instruction const& i, lane_mask mask) {
  D* const d = b.at<D>(i.to[0]);
  A const* const x = b.at<A>(i.from[0]);
  B const* const y = b.at<B>(i.from[1]);
  each_lane(mask, [&](int lane) { d[lane] = F(x[lane], y[lane]); });
}
/// D F(A, B, C)
template <auto F, class D, class A, class B = A, class C = D>
void ternary(block& b, instruction const& i, lane_mask mask) {
  D* const d = b.at<D>(i.to[0]);
  A const* const x = b.at<A>(i.from[0]);
  B const* const y = b.at<B>(i.from[1]);
  C const* const z = b.at<C>(i.from[2]);
  each_lane(mask, [&](int lane) { d[lane] = F(x[lane], y[lane], z[lane]); });
}
/// D F(A, B, u32, u32): `bfi`, `lop3`
template <auto F, class D, class C>
void quaternary(block& b, instruction const& i, lane_mask mask) {
  D* const d = b.at<D>(i.to[0]);
  D const* const x = b.at<D>(i.from[0]);
  D const* const y = b.at<D>(i.from[1]);
  C const* const z = b.at<C>(i.from[2]);
  u32 const* const w = b.at<u32>(i.from[3]);
  each_lane(mask, [&](int lane) { d[lane] = F(x[lane], y[lane], z[lane], w[lane]); });
}

/// How `setp` and `set` combine a comparison with another predicate.
enum class combination : u8 { none, conjunction, disjunction, exclusive };

inline u32 combined(combination how, u32 bits, u32 other) {
  switch (how) {
    case combination::conjunction: return bits & other;
    case combination::disjunction: return bits | other;
    case combination::exclusive: return bits ^ other;
    default: return bits;
  }
}
/// `setp`: the result, and its complement if the instruction has two results.
template <auto F, class A> void compare(block& b, instruction const& i, lane_mask mask) {
  A const* const x = b.at<A>(i.from[0]);
  A const* const y = b.at<A>(i.from[1]);
  u32 bits = 0;
  each_lane(mask, [&](int lane) { bits |= static_cast<u32>(F(x[lane], y[lane])) << lane; });
  auto const how = static_cast<combination>(i.mode);
  u32 const other = how == combination::none ? 0 : b.predicate(i.from[2]);
  u32 const first = combined(how, bits, other), second = combined(how, ~bits, other);
  b.predicate(i.to[0]) = merged(b.predicate(i.to[0]), first, mask);
  if (i.count == 2) b.predicate(i.to[1]) = merged(b.predicate(i.to[1]), second, mask);
}
/// A D of 1, or of all ones, where a predicate is true, and 0 elsewhere: the second half of `set`.
template <class D> void from_predicate(block& b, instruction const& i, lane_mask mask) {
  D* const d = b.at<D>(i.to[0]);
  u32 const p = b.predicate(i.from[0]);
  D yes{};
  if constexpr (is_small_float<D>) yes = narrow<D>(1);
  else yes = std::is_floating_point_v<D> ? D{1} : static_cast<D>(-1);
  each_lane(mask, [&](int lane) { d[lane] = (p >> lane & 1) != 0 ? yes : D{0}; });
}
/// `selp`
template <class T> void select(block& b, instruction const& i, lane_mask mask) {
  T* const d = b.at<T>(i.to[0]);
  T const* const x = b.at<T>(i.from[0]);
  T const* const y = b.at<T>(i.from[1]);
  u32 const p = b.predicate(i.from[2]);
  each_lane(mask, [&](int lane) { d[lane] = (p >> lane & 1) != 0 ? x[lane] : y[lane]; });
}
/// A predicate from predicates: `mov`, `not`, `and`, `or`, `xor`
template <auto F> void logic(block& b, instruction const& i, lane_mask mask) {
  u32 const x = b.predicate(i.from[0]), y = b.predicate(i.from[1]);
  b.predicate(i.to[0]) = merged(b.predicate(i.to[0]), F(x, y), mask);
}

/// The operations that have a rounding mode.
enum class operation : u8 { add, sub, mul, fma, div, sqrt, rcp };

/// An operation towards zero, down or up: `.rz`, `.rm`, `.rp`
template <class T, operation Op, bool Flush, bool Saturate>
void rounded(block& b, instruction const& i, lane_mask mask) {
  T* const d = b.at<T>(i.to[0]);
  T const* const first = b.at<T>(i.from[0]);
  T const* const second = b.at<T>(i.from[1]);
  T const* const third = b.at<T>(i.from[2]);
  each_lane(mask, [&](int lane) {
    auto const operand = [](T v) { return Flush ? flushed(v) : v; };
    T const volatile x = operand(first[lane]), y = operand(second[lane]), z = operand(third[lane]);
    T const result = in_mode(static_cast<rounding>(i.mode), [&]() -> T {
      if constexpr (Op == operation::add) return x + y;
      if constexpr (Op == operation::sub) return x - y;
      if constexpr (Op == operation::mul) return x * y;
      if constexpr (Op == operation::fma) return std::fma(x, y, z);
      if constexpr (Op == operation::div) return x / y;
      if constexpr (Op == operation::sqrt) return std::sqrt(x);
      if constexpr (Op == operation::rcp) return T{1} / x;
    });
    d[lane] = Saturate ? saturated(operand(result)) : operand(result);
  });
}

/// Sums with a carry, in `mode`: whether the instruction reads and writes it.
inline constexpr u8 reads_carry = 1, writes_carry = 2;
enum class carried_operation : u8 { add, sub, mad_low, mad_high, mad_high_signed };

/// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`
template <class T, carried_operation Op>
void with_carry(block& b, instruction const& i, lane_mask mask) {
  T* const d = b.at<T>(i.to[0]);
  T const* const first = b.at<T>(i.from[0]);
  T const* const second = b.at<T>(i.from[1]);
  T const* const third = b.at<T>(i.from[2]);
  u32& carry = b.predicate(i.address);
  each_lane(mask, [&](int lane) {
    T x = first[lane], y = second[lane];
    if constexpr (Op == carried_operation::mad_low) x = wrapped_product(x, y), y = third[lane];
    if constexpr (Op == carried_operation::mad_high) x = high_of_product(x, y), y = third[lane];
    if constexpr (Op == carried_operation::mad_high_signed) {
      using S = std::make_signed_t<T>;
      x = static_cast<T>(high_of_product(static_cast<S>(x), static_cast<S>(y))), y = third[lane];
    }
    u128 const in = (i.mode & reads_carry) != 0 ? carry >> lane & 1 : 0;
    u128 const sum = Op == carried_operation::sub ? u128{x} - y - in : u128{x} + y + in;
    d[lane] = static_cast<T>(sum);
    auto const out = static_cast<u32>(sum >> (8 * sizeof(T)) & 1);
    if ((i.mode & writes_carry) != 0) carry = merged(carry, out << lane, u32{1} << lane);
  });
}

/// `mov` between a register and a vector of parts: `mov.b64 {a, b}, c`
inline void unpack(block& b, instruction const& i, lane_mask mask) {
  u32 const whole = u32{i.width} * i.count;
  u8 const* const from = b.at<u8>(i.from[0]);
  each_lane(mask, [&](int lane) {
    auto const l = static_cast<u32>(lane);
    for (u32 n = 0; n != i.count; ++n)
      std::memcpy(b.at<u8>(i.to[n]) + l * i.width, from + l * whole + n * i.width, i.width);
  });
}
inline void pack(block& b, instruction const& i, lane_mask mask) {
  u32 const whole = u32{i.width} * i.count;
  u8* const to = b.at<u8>(i.to[0]);
  each_lane(mask, [&](int lane) {
    auto const l = static_cast<u32>(lane);
    for (u32 n = 0; n != i.count; ++n)
      std::memcpy(to + l * whole + n * i.width, b.at<u8>(i.from[n]) + l * i.width, i.width);
  });
}

/// The address of something in the parameters, in local memory or in shared memory.
inline void address_of_param(block& b, instruction const& i, lane_mask mask) {
  u64* const d = b.at<u64>(i.to[0]);
  u64 const base = reinterpret_cast<u64>(b.params()) + static_cast<u64>(i.offset);
  each_lane(mask, [&](int lane) { d[lane] = base; });
}
inline void address_of_local(block& b, instruction const& i, lane_mask mask) {
  u64* const d = b.at<u64>(i.to[0]);
  u64 const* const base = b.at<u64>(i.from[0]);
  each_lane(mask, [&](int lane) { d[lane] = base[lane] + static_cast<u64>(i.offset); });
}
/// `cvta.shared` and `cvta.to.shared`
inline void from_shared(block& b, instruction const& i, lane_mask mask) {
  u64* const d = b.at<u64>(i.to[0]);
  u64 const* const x = b.at<u64>(i.from[0]);
  auto const base = reinterpret_cast<u64>(b.shared.data());
  each_lane(mask, [&](int lane) { d[lane] = x[lane] + base; });
}
inline void to_shared(block& b, instruction const& i, lane_mask mask) {
  u64* const d = b.at<u64>(i.to[0]);
  u64 const* const x = b.at<u64>(i.from[0]);
  auto const base = reinterpret_cast<u64>(b.shared.data());
  each_lane(mask, [&](int lane) { d[lane] = x[lane] - base; });
}
/// %clock, %clock64, %globaltimer: the number of instructions so far
template <class T> void clock(block& b, instruction const& i, lane_mask mask) {
  T* const d = b.at<T>(i.to[0]);
  auto const now = static_cast<T>(b.stats.warp_instructions);
  each_lane(mask, [&](int lane) { d[lane] = now; });
}
inline void activemask(block& b, instruction const& i, lane_mask mask) {
  u32* const d = b.at<u32>(i.to[0]);
  each_lane(mask, [&](int lane) { d[lane] = mask; });
}
inline void fence(block& b, instruction const&, lane_mask) {
  b.fenced = true;
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void trap(block& b, instruction const& i, lane_mask mask) {
  b.fail(fault::kind::trap, i, std::countr_zero(mask), "trap");
}
inline void nothing(block&, instruction const&, lane_mask) {}

}  // namespace ptx
