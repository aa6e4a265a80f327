#pragma once
/// Somebody who is told of every block that is handed out or comes back.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/memory/holder.hpp>

#include <atomic>
#include <cstddef>
#include <string_view>

namespace placement::inline v0_1 {

/// What happened to memory.
enum class memory_action : unsigned char { allocate, free, reserve, give_back, refuse };

constexpr std::string_view to_string(memory_action a) noexcept {
  constexpr std::string_view words[] = {"allocate", "free", "reserve", "give back", "refuse"};
  return words[static_cast<int>(a)];
}

/// One thing that happened. Units: bytes.
struct memory_event {
  memory_action action{};
  device where{};
  std::size_t size = 0;
  holder who{};
};

/// Told of each event, on the thread that caused it, with no lock held. It must not throw.
using memory_watcher = void (*)(memory_event const&);

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit std::atomic<memory_watcher> watcher_of_memory{nullptr};

inline bool is_watched() noexcept {
  return watcher_of_memory.load(std::memory_order_relaxed) != nullptr;
}
[[gnu::cold, gnu::noinline]] inline void tell(memory_event const& e) noexcept {
  if (auto const told = watcher_of_memory.load(std::memory_order_acquire)) told(e);
}

}  // namespace detail

/// Makes this the one who is told; nullptr: nobody. Returns who was told before.
inline memory_watcher set_memory_watcher(memory_watcher told) noexcept {
  return detail::watcher_of_memory.exchange(told, std::memory_order_acq_rel);
}

}  // namespace placement::inline v0_1
