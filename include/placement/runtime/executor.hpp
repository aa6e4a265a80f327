#pragma once
/// Threads that the CPU's kernels share their work with.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>

namespace placement::inline v0_1 {

/// Runs parts of one kernel at the same time. placement has one of its own, which starts
/// `intra_op_threads()` threads when they are first of use; another library's may take its place.
class executor {
 public:
  /// One part of some work, by its number. Throws nothing.
  using chunk = void (*)(void* work, int number) noexcept;

  /// How many parts run at a time, one of them on the caller's thread; at least 1.
  virtual int threads() noexcept = 0;
  /// Does each part below `count` once, and returns when all are done. Called by any thread, also
  /// by several at the same time and from inside of a part: then it may do all parts itself.
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

/// Lets another executor run the parts of kernels from now on; nullptr: our own threads. It must
/// live for ever. Results do not depend on it. Thread: safe.
inline void set_executor(executor* e) noexcept { detail::chosen_executor.publish(e); }

}  // namespace placement::inline v0_1
