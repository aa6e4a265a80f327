#pragma once
/// The only function that copies bytes between devices, and the statistics of its copies.

#include <placement/device/device.hpp>
#include <placement/device/platform.hpp>

#include <cstddef>
#include <cstring>

namespace placement { inline namespace v0_1 {

/// The copies between one ordered pair of logical devices since the program began.
struct copy_count {
  device from{}, to{};
  std::size_t copies = 0;
  std::size_t bytes = 0;
};

namespace detail {

void count_copy(device from, device to, std::size_t bytes);

/// The timeline point after all work enqueued on the device so far. 0 on a CPU, which runs its work
/// immediately.
timeline_point timeline_point_of(device d);
/// Makes the later work of a queue wait until another queue has passed a timeline point.
void wait_for(device waiting, device awaited, timeline_point point);

void copy_by_queue(void* to, device to_device, void const* from, device from_device,
                   std::size_t size, timeline_point complete);

/// Copies bytes between memory of two logical devices. The source is complete at `complete`, a
/// timeline point of its device. A copy to the host waits for the bytes. A copy to a GPU is work of
/// that GPU's queue, and source memory of the host may change immediately. Copies between different
/// devices are counted. Throws: what the platform throws; then nothing was counted, and the
/// destination is undefined.
inline void move_bytes(void* to, device to_device, void const* from, device from_device,
                       std::size_t size, timeline_point complete = 0) {
  if (size == 0) return;
  if (to_device.is_cpu() && from_device.is_cpu()) std::memcpy(to, from, size);
  else copy_by_queue(to, to_device, from, from_device, size, complete);
  if (!(to_device == from_device)) count_copy(from_device, to_device, size);
}

}  // namespace detail

/// The copies from one device to another so far.
copy_count copies_between(device from, device to);

/// All copies between different devices so far: `copies` and `bytes` are sums.
copy_count all_copies();

}}  // namespace placement::v0_1
