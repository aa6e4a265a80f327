#pragma once
/// Waiting for devices. Programs that read results need none of it: reading waits for what it
/// reads.

#include <placement/device/device.hpp>

namespace placement::inline v0_1 {

/// Blocks until a device has done all work that it was given; an open index means the first of its
/// kind. For timing, and before memory is touched by other means than tensors.
/// Throws: placement_error when there is no such device; what failed on it.
template <class Once = void> void synchronize(device d);
/// The same for all devices.
template <class Once = void> void synchronize();

}  // namespace placement::inline v0_1
