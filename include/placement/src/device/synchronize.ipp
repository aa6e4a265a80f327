#pragma once
/// Definitions of synchronize.hpp.

#include <placement/config.hpp>
#include <placement/device/synchronize.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/src/device/fork.ipp>
#include <placement/src/device/registry.ipp>

namespace placement { inline namespace v0_1 {

PLACEMENT_INLINE void synchronize(device d) {
  detail::throw_if_forked(d);
  logical_device const& on = logical(d);
  detail::traced_call const traced("Synchronize", d);
  on.owner->synchronise(on.work);
}
PLACEMENT_INLINE void synchronize() {
  machine const all = this_machine();
  for (int i = 0; i < all.gpus; ++i) synchronize({kind::gpu, i});
}

}}  // namespace placement::v0_1
