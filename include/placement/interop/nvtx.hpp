#pragma once
/// Ranges for NVIDIA's profilers: what the library does appears in the timeline of Nsight Systems.
/// A program that includes this header links placement::nvtx. Not part of placement.hpp.
///
///     pl::nvtx_ranges const ranges;   // until the end of the block, in all threads

#include <placement/device/trace_events.hpp>
#include <placement/error.hpp>
#include <placement/place/trace.hpp>

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The library's own domain, in which a profiler groups the ranges.
PLACEMENT_PROCESS_STATE inline nvtxDomainHandle_t nvtx_domain() noexcept {
  static nvtxDomainHandle_t const domain = nvtxDomainCreateA("placement");
  return domain;
}
/// Names of ops are no C strings, and NVTX copies the text.
inline void push_nvtx_range(std::string_view name) noexcept {
  char text[64]{};
  name.copy(text, std::min(name.size(), sizeof text - 1));
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = text;
  static_cast<void>(nvtxDomainRangePushEx(nvtx_domain(), &range));
}
inline void pop_nvtx_range() noexcept { static_cast<void>(nvtxDomainRangePop(nvtx_domain())); }

inline constexpr range_marker nvtx_marker{&push_nvtx_range, &pop_nvtx_range};

}  // namespace detail

/// While an object exists, each evaluation, launch and copy of the process is a range of NVTX on
/// its thread, in the domain "placement". A range has the name of the op. One object at a time.
///
/// Thread: ranges of all threads; one thread at a time may use this object. Cost: without a
/// profiler about that of a trace; expressions of tensors leave the fast path. Without an object
/// there is none.
class [[nodiscard]] nvtx_ranges {
 public:
  /// Throws: invalid_argument if another object exists.
  nvtx_ranges() {
    if (!detail::begin_ranges(detail::nvtx_marker))
      throw invalid_argument("placement: another nvtx_ranges exists. End that one first.");
  }
  ~nvtx_ranges() { detail::end_ranges(); }
  nvtx_ranges(nvtx_ranges const&) = delete;
  nvtx_ranges& operator=(nvtx_ranges const&) = delete;
};

}}  // namespace placement::v0_1
