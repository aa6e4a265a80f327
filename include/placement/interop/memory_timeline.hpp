#pragma once
/// Records who holds the memory of each device over time, and writes it as a page. Not part of
/// placement.hpp.
///
///     pl::memory_timeline t("memory.html");   // records until it is destroyed

#include <placement/error.hpp>
#include <placement/interop/memory_page.hpp>
#include <placement/interop/replacement_file.hpp>
#include <placement/memory/pools.hpp>
#include <placement/place/log.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/memory/memory_observer.ipp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 {

/// The limits of a memory timeline. An event takes 24 bytes.
struct memory_timeline_limits {
  std::size_t max_events = std::size_t{1} << 20;  ///< Later events are dropped and counted.
};

namespace detail {

/// The timeline that records, if any.
struct memory_timeline_state {
  lock guard;
  std::unique_ptr<memory_history_builder> events;
  std::int64_t begin = 0;
  memory_observer before = nullptr;  ///< it gets the events, too
};
PLACEMENT_PROCESS_STATE inline memory_timeline_state& the_memory_timeline() {
  static memory_timeline_state& state = *new memory_timeline_state;
  return state;
}

inline std::int64_t timeline_clock() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline void record_memory_event(memory_event const& e) {
  memory_timeline_state& t = the_memory_timeline();
  memory_observer before = nullptr;
  {
    lock_guard const guard(t.guard);
    if (t.events) t.events->add(timeline_clock() - t.begin, e);
    before = t.before;
  }
  if (before != nullptr) before(e);
}

/// Stops to observe, unless another observer was installed since.
inline void end_memory_observer(memory_timeline_state& t) noexcept {
  memory_observer installed = record_memory_event;
  installed_memory_observer.compare_exchange_strong(installed, t.before, std::memory_order_acq_rel);
}

/// A child of fork() records nothing.
PLACEMENT_PROCESS_STATE inline void keep_timeline_from_children() {
  static int const watching = ::pthread_atfork([] { the_memory_timeline().guard.lock_for_fork(); },
                                               [] { the_memory_timeline().guard.after_fork(); },
                                               [] {
                                                 memory_timeline_state& t = the_memory_timeline();
                                                 if (t.events) end_memory_observer(t);
                                                 t.events.reset();
                                                 t.guard.after_fork();
                                               });
  static_cast<void>(watching);
}

/// What the pools hold and have reserved now, as events at time 0.
inline void record_held_memory(memory_history_builder& events) {
  all_pools().for_each([&](pool& p) {
    device const d = p.where().id;
    if (std::size_t const reserved = p.stats().reserved; reserved != 0)
      events.add(0, {memory_action::reserve, d, reserved, {}});
    for (call_site_usage const& u : p.usage_by_call_site())
      events.add(0, {memory_action::allocate, d, u.size, u.caller});
  });
}

}  // namespace detail

/// Records all memory events of the process until it ends, then writes a page: for each device a
/// diagram of who held how much at which time, and a table of ops and source lines. The page has
/// everything in it, and a browser opens it from the disk. See docs/memory.md.
///
/// Memory that is held already belongs to the picture. Start while no other thread allocates, or it
/// may count memory of that moment twice. One timeline at a time; other observers get the events,
/// too. A child of fork() records nothing and writes no file.
///
/// Thread: events of all threads are recorded; one thread at a time may use this object. Cost: a
/// lock and a clock read for each event.
class [[nodiscard]] memory_timeline {
 public:
  /// Starts, and fixes the configuration. Throws: file_error if the file cannot be written;
  /// invalid_argument if another timeline records.
  explicit memory_timeline(std::string const& path, memory_timeline_limits limits = {}) try
      : file_(std::make_unique<detail::replacement_file>(path)) {
    detail::keep_timeline_from_children();
    auto events = std::make_unique<detail::memory_history_builder>(limits.max_events);
    detail::record_held_memory(*events);
    detail::memory_timeline_state& t = detail::the_memory_timeline();
    lock_guard const guard(t.guard);
    if (t.events)
      throw invalid_argument("placement: another memory timeline records. End that one first.");
    t.events = std::move(events);
    t.begin = detail::timeline_clock();
    t.before = set_memory_observer(detail::record_memory_event);
  } catch (...) { detail::rethrow_as_error(); }

  /// Ends and writes as close() does, but logs an error instead of throwing it.
  ~memory_timeline() {
    try {
      try {
        close();
      } catch (error const& e) {
        detail::log_notice(std::string("placement: the memory timeline is lost. ") + e.what());
      }
    } catch (...) {  // no memory for the message
    }
  }
  memory_timeline(memory_timeline const&) = delete;
  memory_timeline& operator=(memory_timeline const&) = delete;

  /// Ends, and writes the file. Later calls do nothing. Throws: file_error; then there is no new
  /// file, and the events are lost.
  void close() try {
    if (file_ == nullptr) return;
    auto const file = std::exchange(file_, nullptr);
    detail::memory_timeline_state& t = detail::the_memory_timeline();
    memory_history history;
    {
      lock_guard const guard(t.guard);
      if (process_ != ::getpid()) return;
      detail::end_memory_observer(t);
      history = t.events->take(detail::timeline_clock() - t.begin);
      t.events.reset();
    }
    file->write(to_html(history));
    file->commit();
  } catch (...) { detail::rethrow_as_error(); }

 private:
  std::unique_ptr<detail::replacement_file> file_;
  pid_t process_ = ::getpid();
};

}}  // namespace placement::v0_1
