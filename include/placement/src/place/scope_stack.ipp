#pragma once
/// Definitions of scope_stack.hpp: memory for the scopes of a thread, and scopes that end out of
/// order.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/device_spec.ipp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <pthread.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// A block of entries for nested scopes. The first entry is not a scope: it repeats the request of
/// the last entry of the chunk below.
struct scope_chunk {
  static constexpr std::size_t size = 64;

  scope_entry entries[size];
  scope_chunk* below = nullptr;
  std::unique_ptr<scope_chunk> above;

  explicit scope_chunk(scope_record* owner) {
    for (scope_entry& e : entries) e.owner = owner;
  }
  scope_entry* first() noexcept { return entries; }
  scope_entry* last() noexcept { return entries + (size - 1); }
};

/// The scopes of one thread. Lives as long as the thread and its scopes: scopes that are still open
/// when the thread ends are ended by other threads.
struct scope_record {
  scope_chunk bottom{this};
  scope_chunk* current = &bottom;           ///< has the innermost entry
  scope_entry* innermost_at_end = nullptr;  ///< set when the thread has ended
  shared_word<bool> changed{false};         ///< by another thread: merge the names again
  shared_word<bool> fault_pending{false};
  std::string fault;
};

/// Held while a scope ends out of order, and while that is repaired or reported.
PLACEMENT_PROCESS_STATE inline constinit lock scope_lock{};

// ---- this thread's entries

inline void continue_in(scope_chunk& c, scope_entry* innermost) noexcept {
  this_scope.record->current = &c;
  this_scope.last = c.last();
  this_scope.innermost = innermost;
}
/// Goes back one entry.
inline void pop_entry() noexcept {
  scope_chunk& c = *this_scope.record->current;
  if (this_scope.innermost != c.first()) --this_scope.innermost;
  else if (c.below != nullptr) continue_in(*c.below, c.below->last());
}
/// Removes innermost entries without an open scope.
inline void trim_entries() noexcept {
  for (;;) {
    scope_chunk& c = *this_scope.record->current;
    bool const broadcasts = this_scope.innermost == c.first() && c.below != nullptr;
    if (!broadcasts && !this_scope.innermost->ended) return;
    this_scope.innermost->ended = false;
    pop_entry();
  }
}
inline bool has_open_scopes(scope_record& r, scope_entry const* innermost) noexcept {
  for (scope_chunk* c = &r.bottom;; c = c->above.get())
    for (scope_entry* e = c->first();; ++e) {
      bool const is_scope = e != c->first();
      if (is_scope && !e->ended) return true;
      if (e == innermost) return false;
      if (e == c->last()) break;
    }
}

inline device_spec merged_name(device_spec outer, device_spec own) noexcept {
  try {
    return nest(outer, own);
  } catch (...) { return own; }  // no memory for a new name of another task
}
/// Whether the entry is a name scope.
inline bool opens_name_scope(scope_entry const& e) noexcept {
  return (e.settings.changes.mask & settings_word::name_scope) != 0;
}
/// The path inside a name scope that was opened in other scopes.
inline label merged_path(label outer, scope_entry const& e) noexcept {
  if (e.restarts_names) return e.settings.names;
  try {
    return label_of_scope(label_in(outer, entry_of(e.settings.names).own));
  } catch (...) { return e.settings.names; }  // no memory for a new path
}
/// Merges names and settings of this thread's open scopes again.
inline void merge_again() noexcept {
  scope_settings in_force{};
  scope_entry const* outer = this_scope.record->bottom.first();
  for (scope_chunk* c = &this_scope.record->bottom;; c = c->above.get())
    for (scope_entry* e = c->first();; ++e) {
      if (e == c->first() || e->ended) {
        e->inside = outer->inside;
        e->file = outer->file;
        e->line = outer->line;
      } else {
        e->inside = merged_name(outer->inside, e->own);
        if (e->settings.changes.mask != 0) {
          e->outer_settings = in_force;
          in_force.changes = in_force.changes.then(e->settings.changes);
          if (e->settings.changes.has_budget()) in_force.copies_before = e->settings.copies_before;
          if (opens_name_scope(*e)) in_force.names = merged_path(in_force.names, *e);
        }
      }
      if (e == this_scope.innermost) {
        this_scope.settings = in_force;
        return;
      }
      outer = e;
      if (e == c->last()) break;
    }
}

// ---- a thread's record

/// Runs when a thread ends, after its thread_local objects. Deletes the thread's record, or leaves
/// it to the threads that own its open scopes.
inline void end_thread_scopes(void* record) noexcept {
  lock_guard const guard(scope_lock);
  auto* const r = static_cast<scope_record*>(record);
  trim_entries();
  if (r->fault_pending.peek()) scope_faults.add(-1);
  if (has_open_scopes(*r, this_scope.innermost)) r->innermost_at_end = this_scope.innermost;
  else delete r;
  this_scope = {};
}
PLACEMENT_PROCESS_STATE inline ::pthread_key_t scope_record_key() {
  static ::pthread_key_t const key = [] {
    ::pthread_key_t made{};
    static_cast<void>(::pthread_key_create(&made, end_thread_scopes));
    return made;
  }();
  return key;
}

PLACEMENT_INLINE scope_entry* grow_scope_stack() {
  if (this_scope.record == nullptr) {
    auto made = std::make_unique<scope_record>();
    static_cast<void>(::pthread_setspecific(scope_record_key(), made.get()));
    this_scope.record = made.release();
    continue_in(this_scope.record->bottom, this_scope.record->bottom.first());
    return this_scope.innermost;
  }
  scope_chunk& full = *this_scope.record->current;
  if (full.above == nullptr) {
    full.above = std::make_unique<scope_chunk>(this_scope.record);
    full.above->below = &full;
  }
  scope_entry& first = *full.above->first();
  first.inside = full.last()->inside;
  first.file = full.last()->file;
  first.line = full.last()->line;
  continue_in(*full.above, &first);
  return this_scope.innermost;
}

// ---- scopes that end out of order

/// Example: "'/GPU:1' made at train.cpp:12".
inline std::string text_of_scope(scope_entry const& e) {
  std::string text = "'" + to_string(e.own.relative()) + "'";
  if (e.own.has_rule()) text = "of a rule";
  if (opens_name_scope(e)) text = "'" + std::string(to_string(e.settings.names)) + "'";
  if (e.own == device_spec::no_preference()) text = "no_preference";
  return e.file == nullptr ? text : text + " made" + place_text({e.file, e.line});
}
inline std::string text_of_fault(scope_entry const& e, bool elsewhere) {
  scope_entry const* const here = this_scope.innermost;
  bool const in_a_scope = here != nullptr && here->file != nullptr;
  std::string text = "placement: the scope " + text_of_scope(e) + " ended ";
  if (elsewhere) {
    text += "on another thread than it was made on";
    if (in_a_scope) text += ", in the scope " + text_of_scope(*here);
  } else {
    text += "before the scope " + text_of_scope(*here) + ", which is nested in it";
  }
  return text +
         ". Scopes end on their thread in reverse order: make each a local variable of its block.";
}
/// Writes one line to standard error, and makes the thread's next op throw.
inline void report_fault(scope_record& r, scope_entry const& e, bool elsewhere) noexcept {
  if (!r.fault_pending.peek()) scope_faults.add(1);
  r.fault_pending.set(true);
  try {
    r.fault = text_of_fault(e, elsewhere);
    std::string const line = r.fault + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (...) {  // no memory for the message
    std::fputs("placement: a device scope ended out of order\n", stderr);
  }
}
/// Ends a scope of another thread. That thread merges the names of its scopes again.
inline void end_elsewhere(scope_record& r, scope_entry& e) noexcept {
  if (r.innermost_at_end == nullptr) {
    report_fault(r, e, true);
    e.ended = true;
    r.changed.set(true);
  } else {  // its thread has ended, so no op can be wrong
    e.ended = true;
    if (!has_open_scopes(r, r.innermost_at_end)) delete &r;
  }
}

/// Ends a scope of this thread.
inline void end_here(scope_entry& e) noexcept {
  trim_entries();
  if (this_scope.innermost == &e) {  // after others that ended, or the first of a chunk
    if (e.settings.changes.mask != 0) this_scope.settings = e.outer_settings;
    pop_entry();
    trim_entries();
  } else {
    report_fault(*e.owner, e, false);
    e.ended = true;
    merge_again();
  }
}

PLACEMENT_INLINE scope_entry* end_out_of_order(scope_entry& e) noexcept {
  lock_guard const guard(scope_lock);
  if (e.owner == this_scope.record) end_here(e);
  else end_elsewhere(*e.owner, e);
  return this_scope.innermost;
}

PLACEMENT_INLINE void repair_scopes() noexcept {
  scope_record* const r = this_scope.record;
  if (r == nullptr || !r->changed.peek()) return;
  lock_guard const guard(scope_lock);
  r->changed.set(false);
  trim_entries();
  merge_again();
}

PLACEMENT_INLINE void throw_scope_fault() {
  repair_scopes();
  scope_record* const r = this_scope.record;
  if (r == nullptr || !r->fault_pending.peek()) return;
  lock_guard const guard(scope_lock);
  r->fault_pending.set(false);
  scope_faults.add(-1);
  std::string const fault = std::move(r->fault);
  throw placement_error(fault.empty() ? "placement: a device scope ended out of order" : fault);
}

}}}  // namespace placement::v0_1::detail
