#pragma once
/// Definitions of trace_events.hpp: the events of each thread.

#include <placement/config.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/device/worker.hpp>
#include <placement/runtime/lock.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- the events of each thread

struct trace_block {
  static constexpr std::size_t room = 256;

  trace_event event[room];
  std::size_t used = 0;
  trace_block* next = nullptr;
};
struct kept_note {
  trace_note note;
  kept_note* next = nullptr;
};

/// The events of one thread. The thread writes while `is_busy`. Others read once recording has
/// stopped and the thread is not busy.
struct thread_events {
  static constexpr std::size_t recent_notes = 256;

  std::atomic<bool> is_busy{false};
  bool is_over = false;  ///< guarded by the list: the thread has ended
  bool is_main = false;
  unsigned number = 0;
  trace_block* first = nullptr;
  trace_block* last = nullptr;
  kept_note* notes = nullptr;
  kept_note* recent[recent_notes]{};  ///< by hash
  thread_events* next = nullptr;
};

struct recorded_events {
  lock guard;  ///< of the list, not of the events
  thread_events* threads = nullptr;
  unsigned known_threads = 0;
  std::atomic<unsigned> open{0};  ///< the number of the trace that records; 0: none
  unsigned traces = 0;
  std::atomic<std::ptrdiff_t> room_left{0};
  std::atomic<std::size_t> dropped{0};
};
PLACEMENT_PROCESS_STATE inline constinit recorded_events all_events{};
PLACEMENT_PROCESS_STATE inline constinit thread_local thread_events* events_of_thread = nullptr;
PLACEMENT_PROCESS_STATE inline constinit thread_local bool has_thread_ended = false;

template <class T> void delete_list(T* first) noexcept {
  while (first != nullptr) delete std::exchange(first, first->next);
}
/// Removes the threads that have ended and have no events. Under the lock of the list.
inline void remove_ended_threads() noexcept {
  for (thread_events** at = &all_events.threads; *at != nullptr;) {
    thread_events* const t = *at;
    if (t->is_over && t->first == nullptr) {
      *at = t->next;
      delete t;
    } else {
      at = &t->next;
    }
  }
}
/// Notes the end of a thread that has recorded.
struct end_of_thread {
  ~end_of_thread() {
    has_thread_ended = true;
    lock_guard const guard(all_events.guard);
    if (events_of_thread == nullptr) return;
    events_of_thread->is_over = true;
    events_of_thread = nullptr;
    remove_ended_threads();
  }
};
[[gnu::cold, gnu::noinline]] inline thread_events* new_thread_events() noexcept {
  if (has_thread_ended) return nullptr;
  static thread_local end_of_thread const at_end;
  static_cast<void>(&at_end);
  auto* const made = new (std::nothrow) thread_events;
  if (made == nullptr) return nullptr;
  made->is_main = ::syscall(SYS_gettid) == ::getpid();
  lock_guard const guard(all_events.guard);
  made->number = ++all_events.known_threads;
  made->next = all_events.threads;
  all_events.threads = made;
  return events_of_thread = made;
}

/// Whether there is room for another block of events or notes.
inline bool takes_room() noexcept {
  return all_events.room_left.fetch_sub(1, std::memory_order_relaxed) > 0;
}
[[gnu::cold, gnu::noinline]] inline bool add_block(thread_events& to) noexcept {
  auto* const made = takes_room() ? new (std::nothrow) trace_block : nullptr;
  if (made == nullptr) return false;
  (to.last == nullptr ? to.first : to.last->next) = made;
  to.last = made;
  return true;
}
inline bool append(thread_events& to, trace_event const& e) noexcept {
  if ((to.last == nullptr || to.last->used == trace_block::room) && !add_block(to)) return false;
  to.last->event[to.last->used++] = e;
  return true;
}

/// What differs most between notes.
inline std::size_t hash_of(trace_note const& n) noexcept {
  auto const bits = [](void const* p) { return reinterpret_cast<std::uintptr_t>(p) >> 2; };
  std::size_t const all = bits(n.name.data()) ^ bits(n.file) ^ (std::size_t{n.line} << 3) ^
                          (n.bytes >> 2) ^ (std::size_t{n.where.bits()} << 6) ^
                          static_cast<std::size_t>(n.kind);
  return (all ^ all >> 8 ^ all >> 16) % thread_events::recent_notes;
}
[[gnu::cold, gnu::noinline]] inline kept_note* add_note(thread_events& to,
                                                        trace_note const& n) noexcept {
  auto* const made = takes_room() ? new (std::nothrow) kept_note{n, to.notes} : nullptr;
  if (made != nullptr) to.notes = made;
  return made;
}
inline trace_note const* kept(thread_events& by, trace_note const& n) noexcept {
  kept_note*& recent = by.recent[hash_of(n)];
  if (recent != nullptr && std::memcmp(&recent->note, &n, sizeof n) == 0) return &recent->note;
  kept_note* const made = add_note(by, n);
  if (made == nullptr) return nullptr;
  recent = made;
  return &made->note;
}

/// Lets f(events of this thread, number of the trace) write. stop_recording() waits for that.
/// False: there is no trace, or no memory.
template <class F> bool write_events(F f) noexcept {
  thread_events* const t = events_of_thread != nullptr ? events_of_thread : new_thread_events();
  if (t == nullptr) return false;
  t->is_busy.store(true);  // before `open` is read: stop_recording() reads them in reverse
  unsigned const open = all_events.open.load();
  if (open != 0) f(*t, open);
  t->is_busy.store(false, std::memory_order_release);
  return open != 0;
}
PLACEMENT_INLINE trace_event event_of(trace_note const& n) noexcept {
  trace_event e;
  write_events([&](thread_events& t, unsigned trace) noexcept {
    e.note = kept(t, n);
    e.trace = trace;
  });
  return e;
}
PLACEMENT_INLINE void record(trace_event const& e) noexcept {
  write_events([&](thread_events& t, unsigned trace) noexcept {
    if (e.trace != trace) return;  // it began before this trace
    if (e.note == nullptr || !append(t, e))
      all_events.dropped.fetch_add(1, std::memory_order_relaxed);
  });
}
/// Records an event from `begin` until now.
inline void record_until_now(trace_note const& n, std::int64_t begin,
                             bool failed = false) noexcept {
  std::int64_t const end = trace_clock();
  write_events([&](thread_events& t, unsigned trace) noexcept {
    trace_event const e{kept(t, n), begin, end, 0, trace, failed};
    if (e.note == nullptr || !append(t, e))
      all_events.dropped.fetch_add(1, std::memory_order_relaxed);
  });
}

inline void record_wait(std::int64_t begin, char const* why) noexcept {
  if (is_worker_thread) return;  // the lane of its device shows it
  trace_note n;
  n.kind = trace_kind::wait;
  n.name = "Wait";
  n.why = why;
  record_until_now(n, begin);
}

/// Starts recording at most this number of events, rounded up to blocks.
inline void start_recording(std::size_t max_events) noexcept {
  std::size_t const blocks = max_events / trace_block::room + (max_events % trace_block::room != 0);
  all_events.room_left.store(static_cast<std::ptrdiff_t>(blocks));
  all_events.dropped.store(0);
  all_events.open.store(++all_events.traces);
  is_traced.set(true);
  report_wait.publish(&record_wait);
}
/// Stops recording. Afterwards no thread writes events.
inline void stop_recording() noexcept {
  is_traced.set(marked_ranges.peek() != nullptr);
  report_wait.set(nullptr);
  all_events.open.store(0);
  lock_guard const guard(all_events.guard);
  for (thread_events* t = all_events.threads; t != nullptr; t = t->next)
    while (t->is_busy.load()) {}
}
/// Frees all events.
inline void forget_events() noexcept {
  lock_guard const guard(all_events.guard);
  for (thread_events* t = all_events.threads; t != nullptr; t = t->next) {
    delete_list(t->first);
    delete_list(t->notes);
    t->first = t->last = nullptr;
    t->notes = nullptr;
    std::fill_n(t->recent, thread_events::recent_notes, nullptr);
  }
  remove_ended_threads();
}

}}}  // namespace placement::v0_1::detail
