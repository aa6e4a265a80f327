#pragma once
/// The threads that run chunks of CPU kernels.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>

namespace placement { inline namespace v0_1 {

/// Runs chunks of one kernel at the same time. placement's own executor starts `intra_op_threads()`
/// threads at the first kernel that needs them. Another library's executor may replace it.
class executor {
 public:
  /// Runs one chunk of some work, by its number. Throws nothing.
  using chunk = void (*)(void* work, int number) noexcept;

  /// How many chunks run at a time, one of them on the caller's thread; at least 1.
  virtual int threads() noexcept = 0;
  /// Runs each chunk below `count` once, and returns when all are done. Any thread may call it,
  /// also concurrently and from inside a chunk. Such a call may run all its chunks itself.
  virtual void run(int count, chunk each, void* work) noexcept = 0;

  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;

 protected:
  executor() = default;
  ~executor() = default;
};

namespace detail {
PLACEMENT_PROCESS_STATE inline constinit shared_word<executor*> chosen_executor{nullptr};
}  // namespace detail

/// Replaces the executor of all later kernels; nullptr: placement's own threads. It must live for
/// ever. Results do not depend on it. Thread: safe.
inline void set_executor(executor* e) noexcept { detail::chosen_executor.publish(e); }

}}  // namespace placement::v0_1
