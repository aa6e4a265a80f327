#pragma once
/// The only function that moves bytes between devices, and the count of what it moved.

#include <placement/device/device.hpp>
#include <placement/device/platform.hpp>

#include <cstddef>
#include <cstring>

namespace placement::inline v0_1 {

/// Copies between one ordered pair of logical devices since the program began.
struct copy_count {
  device from{}, to{};
  std::size_t copies = 0;
  std::size_t bytes = 0;
};

namespace detail {

template <class Once = void> void count_copy(device from, device to, std::size_t bytes);

/// All that the device's queue was given so far; 0 on a CPU, which does its work at once.
template <class Once = void> timeline_point timeline_point_of(device d);
/// Holds the later work of a queue until another one has come as far as a mark.
template <class Once = void> void wait_for(device waiting, device awaited, timeline_point point);

template <class Once = void>
void copy_by_queue(void* to, device to_device, void const* from, device from_device,
                   std::size_t size, timeline_point complete);

/// Copies bytes from memory of one logical device, complete at a mark of its queue, to memory of
/// another. To the host it waits for them; to a GPU the copy is work of that GPU's queue, and
/// memory of the host may change at once. Between different devices it is counted. Throws: what the
/// platform throws; then nothing was counted, and the destination is undefined.
inline void move_bytes(void* to, device to_device, void const* from, device from_device,
                       std::size_t size, timeline_point complete = 0) {
  if (size == 0) return;
  if (to_device.is_cpu() && from_device.is_cpu()) std::memcpy(to, from, size);
  else copy_by_queue(to, to_device, from, from_device, size, complete);
  if (!(to_device == from_device)) count_copy(from_device, to_device, size);
}

}  // namespace detail

/// What was copied from one device to another so far.
template <class Once = void> copy_count copies_between(device from, device to);

/// All copies between different devices so far: `copies` and `bytes` are sums.
template <class Once = void> copy_count all_copies();

}  // namespace placement::inline v0_1
