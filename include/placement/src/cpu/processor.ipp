#pragma once
/// Definitions of processor.hpp.

#include <placement/config.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/device/environment.hpp>
#include <placement/error.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The features are those of PLACEMENT_FOR_AVX2 and PLACEMENT_FOR_AVX512.
PLACEMENT_INLINE cpu_level cpu_level_of_machine() noexcept {
  if (!PLACEMENT_PROCESSOR_HAS("avx2") || !PLACEMENT_PROCESSOR_HAS("fma") ||
      !PLACEMENT_PROCESSOR_HAS("bmi") || !PLACEMENT_PROCESSOR_HAS("bmi2"))
    return cpu_level::baseline;
  bool const has_avx512 =
      PLACEMENT_PROCESSOR_HAS("avx512f") && PLACEMENT_PROCESSOR_HAS("avx512bw") &&
      PLACEMENT_PROCESSOR_HAS("avx512cd") && PLACEMENT_PROCESSOR_HAS("avx512dq") &&
      PLACEMENT_PROCESSOR_HAS("avx512vl");
  return has_avx512 ? cpu_level::avx512 : cpu_level::avx2;
}
/// A malformed variable is reported by the functions that configure devices, and ignored here.
inline cpu_level cpu_level_requested() noexcept {
  try {
    return static_cast<cpu_level>(
        environment_variables().cpu_level.value_or(static_cast<int>(cpu_level::avx512)));
  } catch (invalid_argument const&) { return cpu_level::avx512; }
}

PLACEMENT_INLINE cpu_level cpu_level_in_use() noexcept {
  static cpu_level const level = [] {
    cpu_level const has = cpu_level_of_machine(), requested = cpu_level_requested();
    return requested < has ? requested : has;
  }();
  return level;
}

}}}  // namespace placement::v0_1::detail
