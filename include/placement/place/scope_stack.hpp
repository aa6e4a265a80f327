#pragma once
/// The open device scopes of each thread, innermost last, and what an op written now requests.
///
/// The entries lie in a record of the thread, not in the scope objects: an object may be destroyed
/// on another thread, or before a scope that is nested in it, and its entry is still there.
/// Entering a scope writes the next entry, leaving it steps back. Only a scope that is not the
/// innermost one of this thread when it ends takes the lock.
/// docs/decisions/0026-scopes-end-in-order.md

#include <placement/config.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/registry.hpp>
#include <placement/place/placer.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstdint>

namespace placement::inline v0_1::detail {

/// The settings that the scopes of a thread change.
struct scope_settings {
  settings_change changes{};
  std::uint32_t copies_before = 0;  ///< copies_made when the innermost budget began
};

struct scope_record;

/// One open scope. Written by its thread; `ended` by any, under the lock.
struct scope_entry {
  device_spec inside{};  ///< requested inside it: its name merged with those around
  device_spec own{};     ///< its name alone
  char const* file = nullptr;
  unsigned line = 0;
  scope_settings settings{};  ///< its own; without any the mask is 0 and the rest is not written
  scope_settings outer_settings{};  ///< in force around it, where it has settings
  scope_record* owner = nullptr;    ///< constant
  bool ended = false;               ///< out of order: what it requested counts no more
};

/// The scopes of this thread. Trivially destroyed, so that thread_local needs no guard. Before the
/// first scope there is no record; then `innermost` is an entry also where no scope is open.
struct scope_state {
  scope_entry* innermost = nullptr;
  scope_entry* last = nullptr;  ///< that there is memory for
  scope_record* record = nullptr;
  scope_settings settings{};
};
PLACEMENT_PROCESS_STATE inline constinit thread_local scope_state this_scope{};
/// Operands that this thread has copied; wraps.
PLACEMENT_PROCESS_STATE inline constinit thread_local std::uint32_t copies_made = 0;

/// How many threads have a scope that ended out of order, which none of their ops has reported yet.
PLACEMENT_PROCESS_STATE inline constinit shared_word<int> scope_faults{0};

/// Makes memory for the next entry. Gives the innermost one, which that follows.
template <class Once = void> [[gnu::cold, gnu::noinline]] scope_entry* make_room_for_scopes();
/// Ends a scope that is not the innermost one of this thread: removes its entry and no other, says
/// so on standard error, and lets the next op of its thread throw. Gives this thread's innermost
/// entry.
template <class Once = void>
[[gnu::cold, gnu::noinline]] scope_entry* end_out_of_order(scope_entry& e) noexcept;
/// Merges the names of this thread's scopes again where other threads have ended some.
template <class Once = void> [[gnu::cold, gnu::noinline]] void repair_scopes() noexcept;
/// Throws: placement_error where a scope of this thread ended out of order, once.
template <class Once = void> [[gnu::cold, gnu::noinline]] void throw_scope_fault();

/// Throws: placement_error where a scope of this thread ended out of order since the last call.
inline void check_scopes() {
  if (scope_faults.peek() != 0) [[unlikely]]
    throw_scope_fault();
}

/// A scope for as long as this lives.
class open_scope {
 public:
  /// Strong. Throws: bad_alloc; invalid_argument when a merged name is too long.
  open_scope(device_spec own, site at) {
    scope_entry* outer = this_scope.innermost;
    if (outer == this_scope.last) [[unlikely]]
      outer = make_room_for_scopes();
    entry_ = outer + 1;
    entry_->inside = nest(outer->inside, own);
    entry_->own = own;
    entry_->file = at.file;
    entry_->line = at.line;
    entry_->settings.changes.mask = 0;
    this_scope.innermost = entry_;
  }
  /// Both ways end in one store, so that a scope that follows finds its value in a register.
  ~open_scope() {
    scope_entry* innermost = entry_ - 1;
    if (this_scope.innermost != entry_) [[unlikely]]
      innermost = end_out_of_order(*entry_);
    else if (has_settings_) this_scope.settings = entry_->outer_settings;
    this_scope.innermost = innermost;
  }
  open_scope(open_scope const&) = delete;
  open_scope& operator=(open_scope const&) = delete;

  /// Settings for as long as this lives, over those that are in force.
  void set(settings_change c) noexcept {
    has_settings_ = true;
    entry_->outer_settings = this_scope.settings;
    entry_->settings = {c, copies_made};
    this_scope.settings.changes = entry_->outer_settings.changes.then(c);
    if (c.has_budget()) this_scope.settings.copies_before = copies_made;
  }

 private:
  scope_entry* entry_;
  bool has_settings_ = false;
};

/// The line of the innermost scope.
inline site site_of_scope() noexcept {
  scope_entry const* const e = this_scope.innermost;
  return e == nullptr ? site{} : site{e->file, e->line};
}

/// What an op written here and now requests, and who does.
struct requested_device {
  device_spec requested{};
  request_source requested_by = request_source::nobody;
};

/// A name in force by scopes, merged with the thread's current device as if that were the outermost
/// scope.
inline requested_device merged_with_current_device(device_spec by_scopes) noexcept {
  device_spec const name = by_scopes.relative();
  device const d = current_device();
  if (d.has_value() && name.is_local() && !by_scopes.is_absolute())
    return {nest(device_spec{d}, name),
            name.local_device().has_value() ? request_source::scope : request_source::thread};
  return {name, name.has_value() ? request_source::scope : request_source::nobody};
}
inline requested_device requested_here() noexcept {
  if (scope_faults.peek() != 0) [[unlikely]]
    repair_scopes();
  scope_entry const* const e = this_scope.innermost;
  device_spec const by_scopes = e == nullptr ? device_spec{} : e->inside;
  if (by_scopes.is_one_device()) return {by_scopes.relative(), request_source::scope};
  return merged_with_current_device(by_scopes);
}
/// What an op requests that is written here, in a scope of this name. Throws: invalid_argument when
/// the merged name is too long.
inline device_spec requested_in(device_spec own) {
  return nest(requested_here().requested, own).relative();
}

/// The settings in force on this thread.
inline settings_word settings_here() {
  return settings_word{this_scope.settings.changes.applied_to(settings_of_process().bits())};
}

}  // namespace placement::inline v0_1::detail
