#pragma once
/// Division of many numbers by one known divisor, as a multiplication and a shift.

#include <placement/config.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// Divides numbers below 2^31 by a divisor from 1 to 2^31 - 1. Cost: three instructions on a GPU.
/// Source: Granlund, Montgomery: Division by Invariant Integers using Multiplication (PLDI 1994).
struct fast_divisor {
  std::uint32_t divisor = 1, factor = 1, shift = 0;

  constexpr fast_divisor() = default;
  constexpr explicit fast_divisor(std::uint32_t d) : divisor(d) {
    while ((std::uint64_t{1} << shift) < d) ++shift;
    std::uint64_t const power = std::uint64_t{1} << shift;
    factor = static_cast<std::uint32_t>(((power - d) << 32) / d + 1);
  }
  PLACEMENT_HD constexpr std::uint32_t quotient(std::uint32_t n) const noexcept {
    auto const high = static_cast<std::uint32_t>(std::uint64_t{n} * factor >> 32);
    return (high + n) >> shift;
  }
};

}}  // namespace placement::v0_1
