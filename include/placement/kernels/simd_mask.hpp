#pragma once
/// Masks: the results of comparing packs, with the operators of bool.

#include <placement/config.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/kernels/simd_types.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

/// Each lane of `bits` is all ones or zero; I is a signed integer of the size of what was compared.
template <class I, int N> struct mask {
  using element = bool;
  static constexpr int lanes = N;

  pack<I, N> bits;

  mask() = default;
  PLACEMENT_ALWAYS_INLINE explicit mask(pack<I, N> const& b) noexcept : bits(b) {}
  PLACEMENT_ALWAYS_INLINE mask(bool x) noexcept : bits(static_cast<I>(x ? -1 : 0)) {}

  PLACEMENT_ALWAYS_INLINE friend mask operator!(mask const& a) noexcept { return mask(~a.bits); }
  PLACEMENT_ALWAYS_INLINE friend mask operator~(mask const& a) noexcept { return mask(~a.bits); }
  PLACEMENT_ALWAYS_INLINE friend mask operator&(mask const& a, mask const& b) noexcept {
    return mask(a.bits & b.bits);
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator|(mask const& a, mask const& b) noexcept {
    return mask(a.bits | b.bits);
  }
  /// Both sides are computed.
  PLACEMENT_ALWAYS_INLINE friend mask operator&&(mask const& a, mask const& b) noexcept {
    return a & b;
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator||(mask const& a, mask const& b) noexcept {
    return a | b;
  }
  /// As of bool, where true is more than false.
  PLACEMENT_ALWAYS_INLINE friend mask operator!=(mask const& a, mask const& b) noexcept {
    return mask(a.bits ^ b.bits);
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator==(mask const& a, mask const& b) noexcept {
    return !(a != b);
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator<(mask const& a, mask const& b) noexcept {
    return ~a & b;
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator<=(mask const& a, mask const& b) noexcept {
    return ~a | b;
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator>(mask const& a, mask const& b) noexcept {
    return b < a;
  }
  PLACEMENT_ALWAYS_INLINE friend mask operator>=(mask const& a, mask const& b) noexcept {
    return b <= a;
  }
};

/// True when a lane is set, or a lane of a register beyond N.
PLACEMENT_HD constexpr bool any(bool condition) noexcept { return condition; }
template <class I, int N> PLACEMENT_ALWAYS_INLINE inline bool any(mask<I, N> const& m) noexcept {
  return [&]<int... J>(std::integer_sequence<int, J...>) PLACEMENT_ALWAYS_INLINE {
    return detail::any_bit((m.bits.r[J] | ...));
  }(std::make_integer_sequence<int, pack<I, N>::registers>{});
}

}}}  // namespace placement::v0_1::simd
