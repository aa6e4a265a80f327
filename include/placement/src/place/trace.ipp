#pragma once
/// Definitions of trace.hpp: the begin and the end of a trace, and its file.

#include <placement/config.hpp>
#include <placement/device/registry.hpp>
#include <placement/device/synchronize.hpp>
#include <placement/error.hpp>
#include <placement/interop/replacement_file.hpp>
#include <placement/place/log.hpp>
#include <placement/place/trace.hpp>
#include <placement/src/device/trace_events.ipp>
#include <placement/src/place/settings.ipp>
#include <placement/src/place/trace_text.ipp>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The file of a trace that records.
struct trace_file {
  explicit trace_file(std::string const& path) : file(path) {}

  replacement_file file;
  std::int64_t begin = trace_clock();
  pid_t process = ::getpid();
};

/// Whether there is a trace in this process: from its start until its file is written.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<bool> trace_exists{false};
/// The file that PLACEMENT_TRACE names, and whether that trace has started.
struct trace_of_environment {
  lock guard;
  trace_file* file = nullptr;
  bool has_started = false;
};
PLACEMENT_PROCESS_STATE inline constinit trace_of_environment environment_trace{};

/// A child of fork() has none of the threads that record, and another process writes the file.
inline void forget_trace_in_child() noexcept {
  is_traced.set(false);
  report_wait.set(nullptr);
  all_events.open.store(0);
  all_events.threads = nullptr;  // whatever a thread was writing stays as it is
  events_of_thread = nullptr;
  next_kernel.exists = next_copy.exists = false;
  if (trace_exists.exchange(false)) change_settings({settings_word::traced, 0});
  all_events.guard.after_fork();
}
PLACEMENT_PROCESS_STATE inline void install_trace_fork_handlers() {
  static int const watching =
      ::pthread_atfork([] { all_events.guard.lock_for_fork(); },
                       [] { all_events.guard.after_fork(); }, &forget_trace_in_child);
  static_cast<void>(watching);
}

/// Starts or ends the ranges of a profiler. False: another one has them.
PLACEMENT_INLINE bool begin_ranges(range_marker const& by) noexcept {
  if (marked_ranges.load() != nullptr) return false;
  static_cast<void>(settings_of_process());  // may start the trace of PLACEMENT_TRACE
  marked_ranges.publish(&by);
  is_traced.set(true);
  change_settings({settings_word::traced, settings_word::traced});
  return true;
}
PLACEMENT_INLINE void end_ranges() noexcept {
  marked_ranges.publish(nullptr);
  if (trace_exists.load()) return;
  change_settings({settings_word::traced, 0});
  is_traced.set(false);
}

/// Opens the file and starts to record. The caller sets the bit of the settings.
inline std::unique_ptr<trace_file> start_trace(std::string const& path, trace_limits limits) {
  install_trace_fork_handlers();
  if (trace_exists.exchange(true))
    throw invalid_argument(
        "placement: a trace to " + quoted_path(path) +
        " cannot start: another one records. Close that one first" +
        (environment_trace.file != nullptr ? ", or unset PLACEMENT_TRACE." : "."));
  try {
    auto file = std::make_unique<trace_file>(path);
    start_recording(limits.max_events);
    return file;
  } catch (...) {
    trace_exists.store(false);
    throw;
  }
}

/// Waits until the GPUs have done their work, whose events would be missing. Nothing new is traced.
inline void wait_for_traced_work() noexcept {
  is_traced.set(false);
  report_wait.set(nullptr);
  if (!is_initialized()) return;
  try {
    synchronize();
  } catch (...) {  // as while work is recorded for replay; the trace has what is done
  }
}

/// Ends a trace and writes its file, unless this is a child of the process that started it.
inline void end_trace(std::unique_ptr<trace_file> t) {
  if (t->process != ::getpid()) return;
  change_settings(
      {settings_word::traced, marked_ranges.peek() != nullptr ? settings_word::traced : 0});
  wait_for_traced_work();
  stop_recording();
  struct at_end {
    ~at_end() {
      forget_events();
      trace_exists.store(false);
    }
  } const end;
  write_trace(t->file, t->begin);
  t->file.commit();
}
inline void end_trace_quietly(std::unique_ptr<trace_file> t) noexcept {
  try {
    try {
      end_trace(std::move(t));
    } catch (error const& e) {
      log_notice(std::string("placement: the trace is lost. ") + e.what());
    }
  } catch (...) {  // no memory for the message
  }
}

PLACEMENT_INLINE void start_trace_of_environment(std::string const& path) {
  trace_of_environment& of = environment_trace;
  lock_guard const guard(of.guard);
  if (of.has_started) return;
  of.file = start_trace(path, {}).release();
  of.has_started = true;
  std::atexit([] {
    end_trace_quietly(std::unique_ptr<trace_file>(std::exchange(environment_trace.file, nullptr)));
  });
}

PLACEMENT_INLINE trace_file* open_trace(std::string const& path, trace_limits limits) try {
  static_cast<void>(settings_of_process());  // may start that of PLACEMENT_TRACE
  trace_file* const file = start_trace(path, limits).release();
  change_settings({settings_word::traced, settings_word::traced});
  return file;
} catch (...) { rethrow_as_error(); }
PLACEMENT_INLINE void close_trace_quietly(trace_file* file) noexcept {
  if (file != nullptr) end_trace_quietly(std::unique_ptr<trace_file>(file));
}

}  // namespace detail

PLACEMENT_INLINE void trace::close() try {
  if (file_ != nullptr)
    detail::end_trace(std::unique_ptr<detail::trace_file>(std::exchange(file_, nullptr)));
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
