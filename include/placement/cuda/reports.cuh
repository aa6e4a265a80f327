#pragma once
/// Memory in which kernels report errors that they cannot throw. Each logical device has one
/// report; its queue checks the report when its work is done.

#include <placement/kernels/report.hpp>

namespace placement { inline namespace v0_1 {

struct logical_device;

namespace cuda {

/// The report that a device's kernels write to. The first call makes the device current. Cost: one
/// pinned allocation at the first call.
/// Throws: placement_error.
kernel_report* report_of(logical_device const& on);

}  // namespace cuda
}}  // namespace placement::v0_1
