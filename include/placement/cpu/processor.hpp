#pragma once
/// The instructions of this machine's processor, for loops that are compiled for several levels.

#include <placement/config.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Levels of x86-64 for which loops are compiled. `baseline`: the flags of the file with the
/// definitions, as for other processors.
enum class cpu_level : unsigned char { baseline, avx2, avx512 };

/// The highest level of this machine.
cpu_level cpu_level_of_machine() noexcept;
/// The highest level of this machine, or a lower one that PLACEMENT_CPU_LEVEL requests.
/// Thread: safe. Cost: one load after the first call.
cpu_level cpu_level_in_use() noexcept;

}}}  // namespace placement::v0_1::detail
