#pragma once
/// A trace: a file that shows when each op, copy and wait ran, and where.

#include <placement/config.hpp>

#include <cstddef>
#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {
struct trace_file;
}  // namespace detail

/// The limits of a trace. An event takes 56 bytes until the trace ends, and each kernel of
/// a line with its shape 350.
struct trace_limits {
  std::size_t max_events = std::size_t{1} << 20;  ///< Later events are dropped and counted.
};

namespace detail {
trace_file* open_trace(std::string const& path, trace_limits limits);
void close_trace_quietly(trace_file* file) noexcept;

struct range_marker;
/// Starts the ranges of a profiler. False: another one has them.
bool begin_ranges(range_marker const& by) noexcept;
void end_ranges() noexcept;
}  // namespace detail

/// Records all ops, copies and waits of the process until it ends, then writes them to a file:
/// `pl::trace t("run.json");`. The file has Chrome's trace event format, which Perfetto
/// (ui.perfetto.dev) and chrome://tracing show. It replaces an older one at once. See
/// docs/tracing.md. PLACEMENT_TRACE=run.json traces a whole program without a change of it.
///
/// Each device has a lane with the ops and copies that it ran, and each thread a lane with its
/// evaluations and waits. Placement on CPU:0 by types (static extents and device) is not recorded,
/// as it has no log lines.
///
/// Thread: events of all threads are recorded; one thread at a time may use this object. A child of
/// fork() records nothing and writes no file. Cost: below 200 ns for each event. Expressions of
/// tensors leave the fast path. Without a trace there is no cost.
class [[nodiscard]] trace {
 public:
  /// Starts. Throws: file_error if the file cannot be written; invalid_argument if another trace
  /// records.
  explicit trace(std::string const& path, trace_limits limits = {})
      : file_(detail::open_trace(path, limits)) {}
  /// Ends and writes as close() does, but logs an error instead of throwing it.
  ~trace() { detail::close_trace_quietly(file_); }
  trace(trace const&) = delete;
  trace& operator=(trace const&) = delete;

  /// Ends, after all GPUs have done their work, and writes the file. Later calls do nothing.
  /// Throws: file_error; then there is no new file, and the events are lost.
  void close();

 private:
  detail::trace_file* file_;
};

}}  // namespace placement::v0_1
