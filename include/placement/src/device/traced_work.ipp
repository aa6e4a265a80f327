#pragma once
/// Definitions of the guards of trace_events.hpp.

#include <placement/config.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/src/device/registry.ipp>
#include <placement/src/device/trace_events.ipp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

class queued_event final : public work_tracer {
 public:
  explicit queued_event(trace_event const& e) noexcept : event_(e) {}

  void run(host_work& work) noexcept override {
    trace_event measured = event_;
    measured.begin = trace_clock();
    std::int64_t* const outer = std::exchange(begin_of_traced_work, &measured.begin);
    work.run();
    begin_of_traced_work = outer;
    measured.end = trace_clock();
    record(measured);
  }

 private:
  trace_event event_;
};

constexpr queued_kind queued_kind_of(trace_note const& n) noexcept {
  if (n.kind == trace_kind::copy || n.is_constant) return queued_kind::copy;  // values are copied
  return n.kind == trace_kind::order ? queued_kind::wait : queued_kind::kernel;
}

PLACEMENT_INLINE void traced_work::begin(trace_note const& note, std::uint64_t kernel_id,
                                         logical_device const* on) noexcept {
  is_active_ = true;
  is_order_ = note.kind == trace_kind::order;
  exceptions_ = std::uncaught_exceptions();
  offered_ = nullptr;
  if (on != nullptr && !on->owner->simulated()) {
    trace_note launch = note;
    launch.is_launch = true;
    event_ = event_of(launch);
  } else {
    event_ = event_of(note);
  }
  event_.kernel_id = kernel_id;
  if (on != nullptr && on->owner->simulated()) {
    offered_ = new (std::nothrow) queued_event(event_);
    outer_ = std::exchange(tracer_of_next_work, {offered_, queued_kind_of(note)});
  }
  outer_begin_ = std::exchange(begin_of_traced_work, &event_.begin);
  marker_ = marked_ranges.load();
  if (marker_ != nullptr) marker_->begin(note.name);
  event_.begin = trace_clock();
}

PLACEMENT_INLINE void traced_work::end() noexcept {
  begin_of_traced_work = outer_begin_;
  if (marker_ != nullptr) marker_->end();
  if (offered_ != nullptr) {
    bool const is_taken = tracer_of_next_work.tracer != offered_;
    tracer_of_next_work = outer_;
    if (is_taken) return;
    delete offered_;
    if (is_order_) return;  // the awaited work was done already
  }
  event_.end = trace_clock();
  event_.failed = std::uncaught_exceptions() > exceptions_;
  record(event_);
}

PLACEMENT_INLINE void traced_launch::start(launch_facts const& launch) noexcept {
  logical_device const* const on = launch.where.is_gpu() ? &logical(launch.where) : nullptr;
  if (next_kernel.exists) {
    next_kernel.exists = false;
    return begin(next_kernel.note, next_kernel.kernel_id, on);
  }
  trace_note note;
  note.name = launch.op;
  note.where = launch.where;
  if (launch.extent != nullptr) {
    note.has_shape = true;
    note.bytes = launch.element_bytes;
    for (std::size_t d = 0; d != launch.rank; ++d)
      note.bytes *= static_cast<std::size_t>(launch.extent[d]);
    note.rank = static_cast<unsigned char>(std::min(launch.rank, trace_note::max_extents));
    std::copy_n(launch.extent, note.rank, note.extent);
  }
  begin(note, 0, on);
}

PLACEMENT_INLINE void traced_copy::start(device from, device to, std::size_t bytes) noexcept {
  trace_note note;
  std::uint64_t kernel_id = 0;
  if (next_kernel.exists && next_kernel.note.is_constant) {
    note = next_kernel.note;
    kernel_id = next_kernel.kernel_id;
    next_kernel.exists = false;
  } else {
    if (next_copy.exists && next_copy.note.bytes == bytes) note = next_copy.note;
    next_copy.exists = false;
    note.kind = trace_kind::copy;
    note.name = "Copy";
  }
  note.from = from;
  note.where = to;
  note.bytes = bytes;
  begin(note, kernel_id, to.is_gpu() ? &logical(to) : nullptr);
}

PLACEMENT_INLINE void traced_order::start(device waiting, device awaited) noexcept {
  logical_device const& on = logical(waiting);
  if (!on.owner->simulated()) return;  // hardware does not time its waits
  trace_note note;
  note.kind = trace_kind::order;
  note.name = "Wait";
  note.where = waiting;
  note.from = awaited;
  begin(note, 0, &on);
}

// ---- calls

PLACEMENT_INLINE void traced_call::begin() noexcept {
  marker_ = marked_ranges.load();
  if (marker_ != nullptr) marker_->begin(name_);
  exceptions_ = std::uncaught_exceptions();
  begin_ = trace_clock();
}
PLACEMENT_INLINE void traced_call::end() const noexcept {
  bool const failed = std::uncaught_exceptions() > exceptions_;
  if (marker_ != nullptr) marker_->end();
  if (next_kernel.exists) {  // nothing launched it
    next_kernel.exists = false;
    record_until_now(next_kernel.note, next_kernel.since != 0 ? next_kernel.since : begin_, failed);
  }
  next_copy.exists = false;
  trace_note n;
  n.kind = trace_kind::call;
  n.name = name_;
  n.where = where_;
  record_until_now(n, begin_, failed);
}

}}}  // namespace placement::v0_1::detail
