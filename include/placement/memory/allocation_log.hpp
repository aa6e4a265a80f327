#pragma once
/// Writes every allocation as a line of CSV, for spreadsheets and timelines. Not part of
/// placement.hpp.
///
///     pl::allocation_log log("allocations.csv");   // logs until it is destroyed

#include <placement/error.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/memory/memory_observer.ipp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <pthread.h>
#include <time.h>

namespace placement { inline namespace v0_1 {

class allocation_log;

namespace detail {

struct allocation_log_state {
  lock guard;
  allocation_log const* owner = nullptr;  ///< the present log
  std::FILE* file = nullptr;
  std::int64_t start = 0;
  memory_observer before = nullptr;  ///< the observer before the log began
};
PLACEMENT_PROCESS_STATE inline allocation_log_state& the_allocation_log() {
  static allocation_log_state& state = *new allocation_log_state;
  return state;
}

/// A small number for this thread, in the order of first use.
PLACEMENT_PROCESS_STATE inline int thread_number() noexcept {
  static constinit std::atomic<int> threads{0};
  static thread_local int const number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

inline std::int64_t nanoseconds_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A CSV field, quoted if necessary.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  std::string quote = "\"";
  for (char c : text) quote += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quote + '"';
}

/// Example: "0,0.000001250,allocate,/GPU:0,MatMul,4096,train.cpp:12". Units: seconds, bytes.
inline std::string csv_line(int thread, std::int64_t nanoseconds, memory_event const& e) {
  std::string const fraction = std::to_string(nanoseconds % 1'000'000'000);
  std::string const site = e.caller.file == nullptr
                               ? std::string()
                               : e.caller.file + (':' + std::to_string(e.caller.line));
  return std::to_string(thread) + ',' + std::to_string(nanoseconds / 1'000'000'000) + '.' +
         std::string(9 - fraction.size(), '0') + fraction + ',' + std::string(to_string(e.action)) +
         ',' + to_string(e.where) + ',' + csv_field(e.caller.tag) + ',' + std::to_string(e.size) +
         ',' + csv_field(site) + '\n';
}

/// Writes one line. If the host has no memory for the line, a short notice replaces it.
inline void log_allocation(memory_event const& e) {
  allocation_log_state& log = the_allocation_log();
  int const thread = thread_number();
  lock_guard const guard(log.guard);
  if (log.file == nullptr) return;
  try {
    std::fputs(csv_line(thread, nanoseconds_now() - log.start, e).c_str(), log.file);
  } catch (std::bad_alloc const&) { std::fputs("a line is missing\n", log.file); }
}

/// Runs in a child after fork(): closes the log there and unlocks the lock. The file is flushed
/// before fork(), so the child writes no line of the parent.
inline void end_log_in_child() noexcept {
  allocation_log_state& log = the_allocation_log();
  if (log.file != nullptr) {
    memory_observer installed = log_allocation;
    installed_memory_observer.compare_exchange_strong(installed, log.before,
                                                      std::memory_order_acq_rel);
    std::fclose(std::exchange(log.file, nullptr));  // its buffer was flushed before fork()
    log.owner = nullptr;
  }
  log.guard.after_fork();
}
/// Installs the fork handlers. Later calls change nothing.
PLACEMENT_PROCESS_STATE inline void keep_log_from_children() {
  static int const watching = ::pthread_atfork(
      [] {
        the_allocation_log().guard.lock_for_fork();
        if (std::FILE* const file = the_allocation_log().file) std::fflush(file);
      },
      [] { the_allocation_log().guard.after_fork(); }, end_log_in_child);
  static_cast<void>(watching);
}

}  // namespace detail

/// Writes each memory event to a file while the object lives. One log at a time. A child of fork()
/// has no log and may make its own. Thread: safe.
class [[nodiscard]] allocation_log {
 public:
  /// Throws: invalid_argument for a file that cannot be written, or while another log exists.
  explicit allocation_log(char const* path) {
    detail::keep_log_from_children();
    detail::allocation_log_state& log = detail::the_allocation_log();
    lock_guard const guard(log.guard);
    if (log.file != nullptr)
      throw invalid_argument("placement: there is an allocation log already. End it first.");
    log.file = std::fopen(path, "we");
    if (log.file == nullptr)
      throw invalid_argument("placement: the allocation log " + std::string(path) +
                             " cannot be written. Choose another file.");
    log.start = detail::nanoseconds_now();
    std::fputs("thread,time,action,device,tag,bytes,call site\n", log.file);
    log.owner = this;
    log.before = set_memory_observer(detail::log_allocation);
  }
  ~allocation_log() {
    detail::allocation_log_state& log = detail::the_allocation_log();
    lock_guard const guard(log.guard);
    if (log.owner != this) return;  // closed in this child; the log is the parent's
    set_memory_observer(log.before);
    std::fclose(std::exchange(log.file, nullptr));
    log.owner = nullptr;
  }
  allocation_log(allocation_log const&) = delete;
  allocation_log& operator=(allocation_log const&) = delete;
};

}}  // namespace placement::v0_1
