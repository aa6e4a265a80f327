#pragma once
/// The only function that moves bytes between devices, and the count of what it moved.

#include <placement/device/fork.hpp>
#include <placement/device/lock.hpp>
#include <placement/device/registry.hpp>

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

template <class Once = void>
void copy_by_queue(void* to, device to_device, void const* from, device from_device,
                   std::size_t size) {
  device const gpu = to_device.is_gpu() ? to_device : from_device;
  refuse_after_fork(gpu);
  logical_device const& worker = logical(gpu);
  auto end = [](void* p, device d) {
    return endpoint{p, d.is_gpu() ? logical(d).ordinal : endpoint::host};
  };
  worker.owner->copy(worker.work, end(to, to_device), end(const_cast<void*>(from), from_device),
                     size);
  worker.owner->synchronise(worker.work);
}

/// Copies bytes from memory of one logical device to memory of another, and waits. Between
/// different devices it is counted. Throws: what the platform throws; then nothing was counted, and
/// the destination is undefined.
inline void move_bytes(void* to, device to_device, void const* from, device from_device,
                       std::size_t size) {
  if (size == 0) return;
  if (to_device.is_cpu() && from_device.is_cpu()) std::memcpy(to, from, size);
  else copy_by_queue(to, to_device, from, from_device, size);
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
