#pragma once
/// The only function that moves bytes between devices, and the count of what it moved.

#include <placement/device/fork.hpp>
#include <placement/device/lock.hpp>
#include <placement/device/registry.hpp>
#include <placement/memory/recorder.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace placement::inline v0_1 {

/// Copies between one ordered pair of logical devices since the program began.
struct copy_count {
  device from{}, to{};
  std::size_t copies = 0;
  std::size_t bytes = 0;
};

namespace detail {

struct copy_ledger {
  lock guard;
  std::vector<copy_count> pairs;
};
PLACEMENT_PROCESS_STATE inline copy_ledger& copy_counts() {
  static copy_ledger& all = *new copy_ledger;
  return all;
}
template <class Once = void> void count_copy(device from, device to, std::size_t bytes) {
  copy_ledger& all = copy_counts();
  lock_guard const hold(all.guard);
  for (copy_count& c : all.pairs) {
    if (c.from == from && c.to == to) {
      ++c.copies;
      c.bytes += bytes;
      return;
    }
  }
  all.pairs.push_back({from, to, 1, bytes});
}

/// All that the device's queue was given so far; 0 on a CPU, which does its work at once.
inline queue_mark mark_of(device d) {
  if (d.is_cpu()) return 0;
  logical_device const& on = logical(d);
  return on.owner->mark(on.work);
}
/// Holds the later work of a queue until another one has come as far as a mark.
inline void wait_for(device waiting, device awaited, queue_mark mark) {
  logical_device const& w = logical(waiting);
  logical_device const& a = logical(awaited);
  w.owner->wait(w.work, a.owner->record_at(a.work, mark));
}

template <class Once = void>
void copy_by_queue(void* to, device to_device, void const* from, device from_device,
                   std::size_t size, queue_mark complete) {
  device const gpu = to_device.is_gpu() ? to_device : from_device;
  refuse_after_fork(gpu);
  refuse_unrecorded("Memory was copied to", to_device);
  logical_device const& on = logical(gpu);
  endpoint source{const_cast<void*>(from), endpoint::host};
  if (from_device.is_gpu()) source.ordinal = logical(from_device).ordinal;
  if (to_device.is_cpu()) return on.owner->fetch(on.work, complete, to, source, size);
  if (from_device.is_gpu() && !(from_device == to_device))
    wait_for(to_device, from_device, complete);
  on.owner->copy(on.work, {to, on.ordinal}, source, size);
}

/// Copies bytes from memory of one logical device, complete at a mark of its queue, to memory of
/// another. To the host it waits for them; to a GPU the copy is work of that GPU's queue, and
/// memory of the host may change at once. Between different devices it is counted. Throws: what the
/// platform throws; then nothing was counted, and the destination is undefined.
inline void move_bytes(void* to, device to_device, void const* from, device from_device,
                       std::size_t size, queue_mark complete = 0) {
  if (size == 0) return;
  if (to_device.is_cpu() && from_device.is_cpu()) std::memcpy(to, from, size);
  else copy_by_queue(to, to_device, from, from_device, size, complete);
  if (!(to_device == from_device)) count_copy(from_device, to_device, size);
}

}  // namespace detail

/// What was copied from one device to another so far.
inline copy_count copies_between(device from, device to) {
  auto& all = detail::copy_counts();
  lock_guard const hold(all.guard);
  for (copy_count const& c : all.pairs)
    if (c.from == from && c.to == to) return c;
  return {from, to};
}

/// All copies between different devices so far: `copies` and `bytes` are sums.
inline copy_count all_copies() {
  copy_count sum;
  auto& all = detail::copy_counts();
  lock_guard const hold(all.guard);
  for (copy_count const& c : all.pairs) {
    sum.copies += c.copies;
    sum.bytes += c.bytes;
  }
  return sum;
}

}  // namespace placement::inline v0_1
