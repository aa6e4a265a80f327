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
  [[gnu::always_inline]] explicit mask(pack<I, N> const& b) noexcept : bits(b) {}
  [[gnu::always_inline]] mask(bool x) noexcept : bits(static_cast<I>(x ? -1 : 0)) {}

  [[gnu::always_inline]] friend mask operator!(mask const& a) noexcept { return mask(~a.bits); }
  [[gnu::always_inline]] friend mask operator~(mask const& a) noexcept { return mask(~a.bits); }
  [[gnu::always_inline]] friend mask operator&(mask const& a, mask const& b) noexcept {
    return mask(a.bits & b.bits);
  }
  [[gnu::always_inline]] friend mask operator|(mask const& a, mask const& b) noexcept {
    return mask(a.bits | b.bits);
  }
  /// Both sides are computed.
  [[gnu::always_inline]] friend mask operator&&(mask const& a, mask const& b) noexcept {
    return a & b;
  }
  [[gnu::always_inline]] friend mask operator||(mask const& a, mask const& b) noexcept {
    return a | b;
  }
  /// As of bool, where true is more than false.
  [[gnu::always_inline]] friend mask operator!=(mask const& a, mask const& b) noexcept {
    return mask(a.bits ^ b.bits);
  }
  [[gnu::always_inline]] friend mask operator==(mask const& a, mask const& b) noexcept {
    return !(a != b);
  }
  [[gnu::always_inline]] friend mask operator<(mask const& a, mask const& b) noexcept {
    return ~a & b;
  }
  [[gnu::always_inline]] friend mask operator<=(mask const& a, mask const& b) noexcept {
    return ~a | b;
  }
  [[gnu::always_inline]] friend mask operator>(mask const& a, mask const& b) noexcept {
    return b < a;
  }
  [[gnu::always_inline]] friend mask operator>=(mask const& a, mask const& b) noexcept {
    return b <= a;
  }
};

/// True when a lane is set, or a lane of a register beyond N.
PLACEMENT_HD constexpr bool any(bool condition) noexcept { return condition; }
template <class I, int N> [[gnu::always_inline]] inline bool any(mask<I, N> const& m) noexcept {
  return [&]<int... J>(std::integer_sequence<int, J...>) __attribute__((always_inline)) {
    return detail::any_bit((m.bits.r[J] | ...));
  }(std::make_integer_sequence<int, pack<I, N>::registers>{});
}

}}}  // namespace placement::v0_1::simd
