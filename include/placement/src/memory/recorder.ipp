#pragma once
/// Definition of the error for work that a replay would not repeat.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/memory/recorder.hpp>
#include <placement/src/device/device.ipp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void throw_unless_recorded(std::string_view what, device d) {
  if (recorder_here->where() == d) return;
  throw placement_error("placement: " + std::string(what) + " " + to_string(d) + " while work of " +
                        to_string(recorder_here->where()) +
                        " is recorded, and would not be replayed. Leave it out of capture().");
}

}}}  // namespace placement::v0_1::detail
