#pragma once
/// Definitions of transfer.hpp: copies between devices go through a queue and are counted.

#include <placement/config.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/memory/transfer.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/fork.ipp>
#include <placement/src/device/registry.ipp>
#include <placement/src/memory/recorder.ipp>

#include <cstddef>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

struct copy_statistics {
  lock guard;
  std::vector<copy_count> pairs;
};
PLACEMENT_PROCESS_STATE inline copy_statistics& copy_counts() {
  static copy_statistics& all = *new copy_statistics;
  return all;
}
PLACEMENT_INLINE void count_copy(device from, device to, std::size_t bytes) try {
  copy_statistics& all = copy_counts();
  lock_guard const guard(all.guard);
  for (copy_count& c : all.pairs) {
    if (c.from == from && c.to == to) {
      ++c.copies;
      c.bytes += bytes;
      return;
    }
  }
  all.pairs.push_back({from, to, 1, bytes});
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE timeline_point timeline_point_of(device d) {
  if (d.is_cpu()) return 0;
  logical_device const& on = logical(d);
  return on.owner->current_point(on.work);
}
PLACEMENT_INLINE void wait_for(device waiting, device awaited, timeline_point point) {
  logical_device const& w = logical(waiting);
  logical_device const& a = logical(awaited);
  traced_order const traced(waiting, awaited);
  w.owner->wait(w.work, a.owner->record_at(a.work, point));
}

PLACEMENT_INLINE void copy_by_queue(void* to, device to_device, void const* from,
                                    device from_device, std::size_t size,
                                    timeline_point complete) try {
  device const gpu = to_device.is_gpu() ? to_device : from_device;
  throw_if_forked(gpu);
  throw_if_unrecorded("Memory was copied to", to_device);
  logical_device const& on = logical(gpu);
  endpoint source{const_cast<void*>(from), endpoint::host};
  if (from_device.is_gpu()) source.ordinal = logical(from_device).ordinal;
  if (from_device.is_gpu() && to_device.is_gpu() && !(from_device == to_device))
    wait_for(to_device, from_device, complete);
  traced_copy const traced(from_device, to_device, size);
  if (to_device.is_cpu()) return on.owner->fetch(on.work, complete, to, source, size);
  on.owner->copy(on.work, {to, on.ordinal}, source, size);
} catch (...) { rethrow_as_error(); }

}  // namespace detail

PLACEMENT_INLINE copy_count copies_between(device from, device to) {
  auto& all = detail::copy_counts();
  lock_guard const guard(all.guard);
  for (copy_count const& c : all.pairs)
    if (c.from == from && c.to == to) return c;
  return {from, to};
}

PLACEMENT_INLINE copy_count all_copies() {
  copy_count sum;
  auto& all = detail::copy_counts();
  lock_guard const guard(all.guard);
  for (copy_count const& c : all.pairs) {
    sum.copies += c.copies;
    sum.bytes += c.bytes;
  }
  return sum;
}

}}  // namespace placement::v0_1
