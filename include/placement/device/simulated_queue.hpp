#pragma once
/// The queue of a simulated GPU, and its work other than kernels: copies, waits, poisoning,
/// recordings.

#include <placement/device/platform.hpp>
#include <placement/device/work_tracer.hpp>
#include <placement/device/worker.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// A copy in a queue. A staged copy from the host holds the bytes as they were at the call.
class simulated_copy final : public host_work {
 public:
  simulated_copy(void* to, void const* from, std::size_t bytes) noexcept
      : to_(to), from_(from), bytes_(bytes) {}
  /// Throws: std::bad_alloc.
  static simulated_copy* staged(void* to, void const* from, std::size_t bytes) {
    auto* const staging = new std::byte[bytes];
    std::memcpy(staging, from, bytes);
    auto* const made = new (std::nothrow) simulated_copy(to, staging, bytes);
    if (made == nullptr) {
      delete[] staging;
      throw std::bad_alloc();
    }
    made->staging_ = staging;
    return made;
  }
  ~simulated_copy() override { delete[] staging_; }

  void run() noexcept override { std::memmove(to_, from_, bytes_); }
  std::size_t bytes() const noexcept override { return staging_ == nullptr ? 0 : bytes_; }

 private:
  void* to_;
  void const* from_;
  std::size_t bytes_;
  std::byte* staging_ = nullptr;
};

/// Fills freed memory with 0xFF bytes.
class simulated_poison final : public host_work {
 public:
  simulated_poison(void* at, std::size_t bytes) noexcept : at_(at), bytes_(bytes) {}
  void run() noexcept override { std::memset(at_, 0xFF, bytes_); }

 private:
  void* at_;
  std::size_t bytes_;
};

/// Blocks a queue until another one has passed a timeline point.
class simulated_wait final : public host_work {
 public:
  simulated_wait(worker const& other, timeline_point point) noexcept
      : other_(other), point_(point) {}
  void run() noexcept override { other_.wait_for_point(point_); }

 private:
  worker const& other_;
  timeline_point point_;
};

/// Recorded work, to be replayed.
struct simulated_recording {
  std::vector<host_work*> work;

  simulated_recording() = default;
  simulated_recording(simulated_recording const&) = delete;
  simulated_recording& operator=(simulated_recording const&) = delete;
  ~simulated_recording() {
    for (host_work* each : work) delete each;
  }
};
class simulated_replay final : public host_work {
 public:
  explicit simulated_replay(simulated_recording const& all) noexcept : all_(all) {}
  void run() noexcept override {
    for (host_work* each : all_.work) each->run_traced();
  }

 private:
  simulated_recording const& all_;
};

struct simulated_queue {
  worker by;
  simulated_recording* records = nullptr;

  explicit simulated_queue(queue_limits max) noexcept : by(max) {}

  bool idle() const noexcept { return records == nullptr && by.idle(); }
  /// Blocks while the queue is full, but not while it records. Throws: std::bad_alloc while it
  /// records; the work is then deleted.
  void enqueue(host_work* work) {
    if (records == nullptr) by.enqueue(work);
    else record(work);
  }
  /// The same, but never blocks.
  void append(host_work* work) {
    if (records == nullptr) by.append(work);
    else record(work);
  }
  /// The same for work that a trace measures.
  void enqueue(host_work* work, queued_kind kind) {
    work->tracer = take_tracer(kind);
    enqueue(work);
  }

 private:
  void record(host_work* work) const {
    try {
      records->work.push_back(work);
    } catch (...) {
      delete work;
      throw;
    }
  }
};

}}}  // namespace placement::v0_1::detail
