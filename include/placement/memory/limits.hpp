#pragma once
/// Pure functions: how much memory a device may provide, and in which steps.

#include <placement/device/logical_device.hpp>
#include <placement/memory/arena.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// The limit of `whole` on a GPU with this much free memory. It leaves 225 MiB free below 2 GiB,
/// else 5 % and at least 300 MiB. 0 if nothing remains.
constexpr std::size_t whole_limit(std::size_t free) noexcept {
  constexpr std::size_t mib = std::size_t{1} << 20;
  std::size_t const twentieth = free / 20;
  std::size_t const left_free = free < 2048 * mib       ? 225 * mib
                                : twentieth > 300 * mib ? twentieth
                                                        : 300 * mib;
  return free > left_free ? free - left_free : 0;
}
static_assert(whole_limit(std::size_t{1} << 30) == std::size_t{799} << 20);
static_assert(whole_limit(std::size_t{4} << 30) == std::size_t{3796} << 20);
static_assert(whole_limit(std::size_t{80} << 30) == std::size_t{77824} << 20);
static_assert(whole_limit(std::size_t{225} << 20) == 0);

/// The limit of `growth` on a GPU with this much memory: the limit of `whole` on an empty GPU, but
/// at least three quarters. Each extension also checks the memory that is free.
constexpr std::size_t growth_limit(std::size_t total) noexcept {
  std::size_t const max = whole_limit(total), least = total - total / 4;
  return max > least ? max : least;
}
static_assert(growth_limit(std::size_t{1} << 30) == std::size_t{799} << 20);
static_assert(growth_limit(std::size_t{4} << 30) == std::size_t{3796} << 20);
static_assert(growth_limit(std::size_t{64} << 20) == std::size_t{48} << 20);

/// The most bytes that a logical device may allocate, a multiple of the granule.
constexpr std::size_t limit_of(logical_device const& d, memory_info m) noexcept {
  std::size_t const max = d.memory_limit != 0 ? d.memory_limit
                          : d.fraction != 0
                              ? static_cast<std::size_t>(d.fraction * static_cast<double>(m.total))
                          : d.id.is_cpu() ? m.total
                          : d.growth      ? growth_limit(m.total)
                                          : whole_limit(m.free);
  return max / arena::granule * arena::granule;
}

/// The extent of committed memory that provides `needed` bytes, `needed` <= limit. Under growth:
/// the first of start, start * factor, start * factor^2, ... that suffices.
constexpr std::size_t next_extent(logical_device const& d, std::size_t needed,
                                  std::size_t limit) noexcept {
  if (!d.growth) return limit;
  auto to = static_cast<double>(d.steps.start_bytes);
  while (to < static_cast<double>(needed)) to *= d.steps.factor;
  if (to >= static_cast<double>(limit)) return limit;
  std::size_t const whole = arena::rounded(static_cast<std::size_t>(to));
  return whole > limit ? limit : whole < needed ? needed : whole;
}

}}}  // namespace placement::v0_1::detail
