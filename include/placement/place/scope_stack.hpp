#pragma once
/// The open device scopes of each thread, innermost last, and the request of an op written inside
/// them.
///
/// The entries are in a record of the thread, not in the scope objects. An object may be destroyed
/// on another thread, or before a scope nested in it; its entry still exists then. Entering a scope
/// writes the next entry; leaving it goes back one entry. Only a scope that ends while it is not
/// the innermost one of this thread takes the lock.
/// docs/decisions/0026-scopes-end-in-order.md

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/registry.hpp>
#include <placement/place/label.hpp>
#include <placement/place/request_source.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

struct op_facts;

namespace detail {

/// The settings that the scopes of a thread change, and their name.
struct scope_settings {
  settings_change changes{};
  std::uint32_t copies_before = 0;  ///< copies_made at the start of the innermost budget.
  label names{};                    ///< The path of the innermost name scope.
};

struct scope_record;

/// The rule of a scope. The entry owns its bytes, so that they outlive a scope that another thread
/// ends.
struct scope_rule {
  device_spec (*ask)(void const* object, op_facts const& op) = nullptr;
  alignas(8) unsigned char object[16]{};
};

/// One open scope. Its thread writes it; any thread may set `ended`, under the lock.
struct scope_entry {
  device_spec inside{};  ///< The request inside it: its name merged with the outer ones.
  device_spec own{};     ///< Its own name.
  char const* file = nullptr;
  unsigned line = 0;
  scope_settings settings{};        ///< Its own; if mask is 0 the other fields are not set.
  scope_settings outer_settings{};  ///< In force around it; set if it has settings.
  scope_record* owner = nullptr;    ///< Constant.
  bool ended = false;               ///< Out of order; its request no longer applies.
  bool restarts_names = false;      ///< A name scope that ignores outer ones.
  scope_rule rule{};                ///< Set if `own` is by a rule.
};

/// The scopes of this thread. Trivially destructible, so that thread_local needs no guard. There is
/// no record before the first scope. After it `innermost` points to an entry, even while no scope
/// is open.
struct scope_state {
  scope_entry* innermost = nullptr;
  scope_entry* last = nullptr;  ///< The last allocated entry of the chunk.
  scope_record* record = nullptr;
  scope_settings settings{};
};
PLACEMENT_PROCESS_STATE inline constinit thread_local scope_state this_scope{};
/// The number of operands that this thread has copied; wraps.
PLACEMENT_PROCESS_STATE inline constinit thread_local std::uint32_t copies_made = 0;

/// The number of threads with a scope that ended out of order and that no op has reported yet.
PLACEMENT_PROCESS_STATE inline constinit shared_word<int> scope_faults{0};

/// Provides memory for the next entry. Returns the entry before it.
[[gnu::cold]] scope_entry* grow_scope_stack();
/// Ends a scope that is not the innermost one of this thread. Removes its entry and no other.
/// Reports the fault on standard error, and makes the next op of its thread throw. Returns this
/// thread's innermost entry.
[[gnu::cold]] scope_entry* end_out_of_order(scope_entry& e) noexcept;
/// Merges the names of this thread's scopes again if other threads have ended some of them.
[[gnu::cold]] void repair_scopes() noexcept;
/// Throws: placement_error if a scope of this thread ended out of order; once.
[[gnu::cold]] void throw_scope_fault();

/// Throws: placement_error if a scope of this thread ended out of order since the last call.
inline void check_scopes() {
  if (scope_faults.peek() != 0) [[unlikely]]
    throw_scope_fault();
}

/// A scope entry for as long as the object lives.
class open_scope {
 public:
  /// Strong guarantee. Throws: bad_alloc; invalid_argument if a merged name is too long.
  open_scope(device_spec own, site at) {
    scope_entry* outer = this_scope.innermost;
    if (outer == this_scope.last) [[unlikely]]
      outer = grow_scope_stack();
    entry_ = outer + 1;
    entry_->inside = nest(outer->inside, own);
    entry_->own = own;
    entry_->file = at.file;
    entry_->line = at.line;
    entry_->settings.changes.mask = 0;
    this_scope.innermost = entry_;
  }
  /// Both branches end in one store, so that the code of a following scope finds the value in a
  /// register.
  ~open_scope() {
    scope_entry* innermost = entry_ - 1;
    if (this_scope.innermost != entry_) [[unlikely]]
      innermost = end_out_of_order(*entry_);
    else if (has_settings_) this_scope.settings = entry_->outer_settings;
    this_scope.innermost = innermost;
  }
  open_scope(open_scope const&) = delete;
  open_scope& operator=(open_scope const&) = delete;

  /// Changes settings while the object lives.
  void set(settings_change c) noexcept {
    has_settings_ = true;
    entry_->outer_settings = this_scope.settings;
    entry_->settings = {c, copies_made, label::none};
    this_scope.settings.changes = entry_->outer_settings.changes.then(c);
    if (c.has_budget()) this_scope.settings.copies_before = copies_made;
  }

  void set_rule(scope_rule const& r) noexcept { entry_->rule = r; }
  /// Changes the path of the name scope while the object lives. restarts: whatever is around it.
  void set_names(label path, bool restarts) noexcept {
    has_settings_ = true;
    entry_->outer_settings = this_scope.settings;
    entry_->settings.changes = {settings_word::name_scope, 0};
    entry_->settings.names = path;
    entry_->restarts_names = restarts;
    this_scope.settings.names = path;
  }

 private:
  scope_entry* entry_;
  bool has_settings_ = false;
};

/// The path of the name scopes around an op that is written here.
constexpr label names_here() noexcept {
  return std::is_constant_evaluated() ? label::none : this_scope.settings.names;
}

/// The line of the innermost scope.
inline site site_of_scope() noexcept {
  scope_entry const* const e = this_scope.innermost;
  return e == nullptr ? site{} : site{e->file, e->line};
}

/// The request of an op written at this point, and its source.
struct requested_device {
  device_spec requested{};
  request_source requested_by = request_source::nobody;
  std::uint16_t rule = 0;  ///< the number of the rule's line, see site_of_rule()
};

/// Merges the name from the scopes with the thread's current device, which counts as the outermost
/// scope.
inline requested_device merged_with_current_device(device_spec by_scopes) noexcept {
  device_spec const name = by_scopes.relative();
  device const d = current_device();
  if (d.has_value() && name.is_local() && !by_scopes.is_absolute())
    return {nest(device_spec{d}, name),
            name.local_device().has_value() ? request_source::scope : request_source::thread, 0};
  return {name, name.has_value() ? request_source::scope : request_source::nobody, 0};
}
/// The same for an op written at this point, in scopes that name no single device.
[[gnu::noinline]] inline requested_device merged_request() noexcept {
  if (scope_faults.peek() != 0) [[unlikely]]
    repair_scopes();
  scope_entry const* const e = this_scope.innermost;
  device_spec const by_scopes = e == nullptr ? device_spec{} : e->inside;
  if (by_scopes.is_one_device()) return {by_scopes.relative(), request_source::scope, 0};
  return merged_with_current_device(by_scopes.without_rule());
}
/// Whether the scopes around this point name one device, without a rule.
PLACEMENT_ALWAYS_INLINE inline bool is_one_device_here() noexcept {
  scope_entry const* const e = this_scope.innermost;
  return e != nullptr && e->inside.is_one_device() && scope_faults.peek() == 0;
}
PLACEMENT_ALWAYS_INLINE inline requested_device requested_here() noexcept {
  if (is_one_device_here()) [[likely]]
    return {this_scope.innermost->inside.relative(), request_source::scope, 0};
  return merged_request();
}
/// Whether a rule is asked for an op written at this point.
inline bool has_rule_here() noexcept {
  scope_entry const* const e = this_scope.innermost;
  return e != nullptr && e->inside.has_rule();
}
/// The request of an op written at this point, by the rules and names of its scopes. Throws: what a
/// rule throws.
[[gnu::cold]] requested_device requested_by_rules(op_facts const& op);
/// The line of a rule's scope, by its number.
site site_of_rule(std::uint16_t number);
/// The request of an op written at this point in a scope of this name. Throws: invalid_argument if
/// the merged name is too long.
inline device_spec requested_in(device_spec own) {
  return nest(requested_here().requested, own).relative();
}

/// The settings in force on this thread.
inline settings_word settings_here() {
  return settings_word{this_scope.settings.changes.applied_to(settings_of_process().bits())};
}

}  // namespace detail

}}  // namespace placement::v0_1
