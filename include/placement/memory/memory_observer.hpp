#pragma once
/// An observer of all allocations and deallocations.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/memory/call_site.hpp>

#include <atomic>
#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The kind of a memory event.
enum class memory_action : unsigned char { allocate, free, reserve, release, fail };

constexpr std::string_view to_string(memory_action a) noexcept {
  constexpr std::string_view words[] = {"allocate", "free", "reserve", "release", "fail"};
  return words[static_cast<int>(a)];
}

/// One memory event. Units: bytes.
struct memory_event {
  memory_action action{};
  device where{};
  std::size_t size = 0;
  call_site caller{};
};

/// Called for each event, on the thread that caused it, with no lock held. Must not throw.
using memory_observer = void (*)(memory_event const&);

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

/// Installs an observer; nullptr: none. Returns the previous one.
inline memory_observer set_memory_observer(memory_observer observer) noexcept {
  return detail::installed_memory_observer.exchange(observer, std::memory_order_acq_rel);
}

}}  // namespace placement::v0_1
