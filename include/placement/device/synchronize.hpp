#pragma once
/// Waiting for devices. Programs that read results need none of it: reading waits for what it
/// reads.

#include <placement/device/fork.hpp>
#include <placement/device/registry.hpp>

namespace placement::inline v0_1 {

/// Blocks until a device has done all work that it was given; an open index means the first of its
/// kind. For timing, and before memory is touched by other means than tensors.
/// Throws: placement_error when there is no such device; what failed on it.
inline void synchronize(device d) {
  detail::refuse_after_fork(d);
  logical_device const& on = logical(d);
  on.owner->synchronise(on.work);
}
/// The same for all devices.
inline void synchronize() {
  machine const all = this_machine();
  for (int i = 0; i < all.gpus; ++i) synchronize({kind::gpu, i});
}

}  // namespace placement::inline v0_1
