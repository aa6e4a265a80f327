#pragma once
/// An observer of all allocations and deallocations.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/memory/call_site.hpp>

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

/// Installs an observer; nullptr: none. Returns the previous one.
memory_observer set_memory_observer(memory_observer observer) noexcept;

}}  // namespace placement::v0_1
