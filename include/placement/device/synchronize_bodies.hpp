#pragma once
/// Definitions of synchronize.hpp.

#include <placement/device/fork_bodies.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/device/synchronize.hpp>

namespace placement { inline namespace v0_1 {

template <class Once> void synchronize(device d) {
  detail::throw_if_forked(d);
  logical_device const& on = logical(d);
  on.owner->synchronise(on.work);
}
template <class Once> void synchronize() {
  machine const all = this_machine();
  for (int i = 0; i < all.gpus; ++i) synchronize({kind::gpu, i});
}

}}  // namespace placement::v0_1
