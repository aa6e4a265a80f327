#pragma once
/// How a trace measures the work of queues. A trace offers a tracer to the next work that its
/// thread enqueues.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstdint>
#include <utility>

#include <time.h>

namespace placement { inline namespace v0_1 { namespace detail {

class work_tracer;

/// The clock of all traces: nanoseconds of CLOCK_MONOTONIC.
inline std::int64_t trace_clock() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

enum class queued_kind : unsigned char { kernel, copy, wait };

/// A tracer for the next work of this kind; nullptr: none.
struct offered_tracer {
  work_tracer* tracer = nullptr;
  queued_kind kind{};
};
PLACEMENT_PROCESS_STATE inline constinit thread_local offered_tracer tracer_of_next_work{};

/// Takes the tracer that is offered to work of this kind. The work owns it then.
inline work_tracer* take_tracer(queued_kind kind) noexcept {
  offered_tracer& next = tracer_of_next_work;
  if (next.tracer == nullptr || next.kind != kind) [[likely]]
    return nullptr;
  return std::exchange(next.tracer, nullptr);
}

/// Where the traced work that this thread runs began; nullptr: it runs none.
PLACEMENT_PROCESS_STATE inline constinit thread_local std::int64_t* begin_of_traced_work = nullptr;

/// Moves that beginning to now: the work has waited until here.
inline void begin_traced_work_now() noexcept {
  if (begin_of_traced_work != nullptr) [[unlikely]]
    *begin_of_traced_work = trace_clock();
}

/// Called after a thread has waited, with the beginning and a reason. nullptr: there is no trace.
using wait_reporter = void (*)(std::int64_t begin, char const* why) noexcept;
PLACEMENT_PROCESS_STATE inline constinit shared_word<wait_reporter> report_wait{nullptr};

/// Reports that this thread waits until the end of the block.
class [[nodiscard]] traced_wait {
 public:
  /// why: lives for ever.
  explicit traced_wait(char const* why) noexcept
      : report_(report_wait.load()), why_(why), begin_(report_ != nullptr ? trace_clock() : 0) {}
  ~traced_wait() {
    if (report_ != nullptr) [[unlikely]]
      report_(begin_, why_);
  }
  traced_wait(traced_wait const&) = delete;
  traced_wait& operator=(traced_wait const&) = delete;

 private:
  wait_reporter report_;
  char const* why_;
  std::int64_t begin_;
};

}}}  // namespace placement::v0_1::detail
