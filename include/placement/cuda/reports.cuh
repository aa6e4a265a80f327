#pragma once
/// Where kernels leave what they cannot throw, one place for each logical device; the queue asks
/// when its work is done.

#include <placement/kernels/report.hpp>

namespace placement::inline v0_1 {

struct logical_device;

namespace cuda {

/// The place for a device's kernels to report to. Cost: an allocation at first.
/// Throws: placement_error.
template <class Once = void> kernel_report* report_of(logical_device const& on);

}  // namespace cuda
}  // namespace placement::inline v0_1
