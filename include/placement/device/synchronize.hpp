#pragma once
/// Waiting for devices. Programs that only read results do not need it: reading waits for the data.

#include <placement/device/device.hpp>

namespace placement { inline namespace v0_1 {

/// Blocks until a device has done all work enqueued on it; an open index means the first of its
/// kind. Use it for timing, and before memory is accessed by other means than tensors.
/// Throws: placement_error if there is no such device; the errors of failed work.
void synchronize(device d);
/// The same for all GPUs. CPUs have no queued work.
void synchronize();

}}  // namespace placement::v0_1
