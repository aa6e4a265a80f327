#pragma once
/// Definitions of op_event.hpp: the observer of events.

#include <placement/config.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/op_event.hpp>
#include <placement/place/tensorflow_names.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/place/settings.ipp>
#include <placement/src/place/trace_notes.ipp>

#include <atomic>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

struct observer_state {
  lock guard;
  op_observer observe = nullptr;
  void* context = nullptr;
};
PLACEMENT_PROCESS_STATE inline constinit observer_state the_observer{};
/// Set while this thread runs the observer and holds its lock.
PLACEMENT_PROCESS_STATE inline constinit thread_local bool in_observer = false;
PLACEMENT_PROCESS_STATE inline constinit std::atomic<std::uint64_t> kernel_ids{0};

/// Passes an event to the observer, if there is one. Work of the observer itself makes no events.
inline void notify(op_event const& e) {
  if (is_traced.peek()) [[unlikely]]
    note_for_trace(e);
  if (in_observer || !settings_of_process().has_observer()) return;
  lock_guard const guard(the_observer.guard);
  if (the_observer.observe == nullptr) return;
  in_observer = true;
  the_observer.observe(e, the_observer.context);
  in_observer = false;
}

inline void replace_observer(op_observer observe, void* context) {
  the_observer.observe = observe;
  the_observer.context = context;
  change_settings({settings_word::observed, observe != nullptr ? settings_word::observed : 0});
}

PLACEMENT_INLINE std::uint64_t next_kernel_id() noexcept {
  return kernel_ids.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace detail

PLACEMENT_INLINE std::string_view tensorflow_name(op_event const& e) {
  return detail::tensorflow_name(e.op, e.shape.size());
}

PLACEMENT_INLINE std::string to_string(op_event const& e) { return detail::native_line(e); }

PLACEMENT_INLINE void set_op_observer(op_observer observe, void* context) {
  if (detail::in_observer) return detail::replace_observer(observe, context);
  lock_guard const guard(detail::the_observer.guard);
  detail::replace_observer(observe, context);
}

}}  // namespace placement::v0_1
