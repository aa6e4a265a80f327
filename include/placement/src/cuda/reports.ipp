#pragma once
/// Throws on the host the errors that kernels reported.

#include <placement/config.hpp>
#include <placement/cuda/reports.cuh>
#include <placement/error.hpp>
#include <placement/src/cuda/context.ipp>

#include <atomic>
#include <new>
#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {
inline constexpr int max_devices = 256;
/// In pinned memory, which a GPU can write; never freed.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<kernel_report*> reports[max_devices]{};
}  // namespace detail

/// Called after the host waited for the work of a device's queue. Throws: shape_error if one of its
/// kernels met an index out of range. The report is cleared, so the next call does not throw.
inline void throw_reported(logical_device const& on) {
  auto const& place = detail::reports[on.id.index % detail::max_devices];
  kernel_report* const r = place.load(std::memory_order_acquire);
  if (r == nullptr || r->reported == 0) return;
  kernel_report const was = std::exchange(*r, {});
  if (was.row >= 0)
    throw shape_error("placement: label " + std::to_string(was.index) + " of row " +
                      std::to_string(was.row) + " is no class: the logits on " + on.name() +
                      " have " + std::to_string(was.extent) +
                      ". Labels are at least 0 and below the number of classes.");
  throw shape_error("placement: " + std::string(was.op == nullptr ? "gather" : was.op) +
                    " of index " + std::to_string(was.index) + " in a dimension of extent " +
                    std::to_string(was.extent) + " on " + on.name() +
                    (was.from_end
                         ? ". Indices are -extent to extent - 1; negative ones count from the end."
                         : ". Each index is at least 0 and below the extent."));
}

PLACEMENT_INLINE kernel_report* report_of(logical_device const& on) {
  auto& place = detail::reports[on.id.index % detail::max_devices];
  if (kernel_report* r = place.load(std::memory_order_acquire)) return r;
  cuda_device& owner = detail::queue_of(on).device();
  void* memory = nullptr;
  owner.call(owner.api().allocate_pinned, &memory, sizeof(kernel_report),
             static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  auto* const made = ::new (memory) kernel_report;
  kernel_report* before = nullptr;
  if (place.compare_exchange_strong(before, made, std::memory_order_acq_rel)) {
    detail::queue_of(on).when_done(&throw_reported, on);
    return made;
  }
  owner.try_call(owner.api().free_pinned, memory);  // another thread was first
  return before;
}

}}}  // namespace placement::v0_1::cuda
