#pragma once
/// Detects a fork: GPUs do not survive fork(), so their use in a child throws instead of hanging.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/runtime/shared_word.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether this process was forked from a process that had opened its GPUs.
PLACEMENT_PROCESS_STATE inline constinit shared_word<bool> forked_from_gpus{false};

inline bool lost_by_fork(device d) noexcept { return d.is_gpu() && forked_from_gpus.peek(); }

[[noreturn, gnu::cold]] void throw_lost_by_fork(device d);

/// Throws: placement_error in a child of a process that used a GPU.
inline void throw_if_forked(device d) {
  if (lost_by_fork(d)) [[unlikely]]
    throw_lost_by_fork(d);
}

}}}  // namespace placement::v0_1::detail
