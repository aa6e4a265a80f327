#pragma once
/// The placement of a kernel, as it is reported.

#include <placement/device/device_spec.hpp>
#include <placement/place/label.hpp>
#include <placement/place/placer.hpp>
#include <placement/place/request_source.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// The facts that the log prints about the kernel of an op.
struct kernel_facts {
  std::string_view root{};
  device_spec requested{};
  request_source requested_by{};
  placement::decision decision{};
  site at{};  ///< for ops without a location of their own.
  std::size_t copies = 0, bytes = 0;
  std::uint64_t id = 0;  ///< set if ops are observed.
  kernel_source source = kernel_source::none;
  label name{};            ///< of the root's node.
  std::uint16_t rule = 0;  ///< of the root's request.
};

}}}  // namespace placement::v0_1::detail
