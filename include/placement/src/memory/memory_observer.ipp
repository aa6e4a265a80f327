#pragma once
/// Definitions: the observer of allocations.

#include <placement/config.hpp>
#include <placement/memory/memory_observer.hpp>

#include <atomic>

namespace placement { inline namespace v0_1 {

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit std::atomic<memory_observer> installed_memory_observer{
    nullptr};

inline bool has_memory_observer() noexcept {
  return installed_memory_observer.load(std::memory_order_relaxed) != nullptr;
}
[[gnu::cold, gnu::noinline]] inline void notify_memory_observer(memory_event const& e) noexcept {
  if (auto const observer = installed_memory_observer.load(std::memory_order_acquire)) observer(e);
}

}  // namespace detail

PLACEMENT_INLINE memory_observer set_memory_observer(memory_observer observer) noexcept {
  return detail::installed_memory_observer.exchange(observer, std::memory_order_acq_rel);
}

}}  // namespace placement::v0_1
