#pragma once
/// The interface between the library and a kind of hardware.
///
/// A platform counts and describes its devices without side effects. It reserves address ranges,
/// commits memory in them piece by piece, and runs work in ordered queues. Derive from it to add
/// hardware. The library has platforms for the CPU and for simulated GPUs. Files compiled by a CUDA
/// compiler register the CUDA platform.

#include <placement/device/device.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The properties of a device that are known without using it.
struct hardware {
  std::string name;          ///< "Simulated GPU"
  std::string pci_bus_id;    ///< "0000:01:00.0"; empty for a CPU
  std::string uuid;          ///< "GPU-..." ; empty for a CPU
  int capability_major = 0;  ///< CUDA compute capability; 0.0 for a CPU
  int capability_minor = 0;
  int machine_index = -1;  ///< the machine's index, before CUDA_VISIBLE_DEVICES; -1 = not known
  int driver_index = -1;   ///< CUDA's index, after CUDA_VISIBLE_DEVICES; -1 = none
  std::size_t memory_bytes = 0;  ///< total, used or free
};

/// Memory of one device, in bytes. `free` excludes memory of other processes.
struct memory_info {
  std::size_t free = 0;
  std::size_t total = 0;
};

/// Versions of CUDA's runtime and driver, in CUDA's form: 13000 is 13.0; 0 = none.
struct software_versions {
  int runtime = 0;
  int driver = 0;
};

/// A queue of one device. Its work runs in the order of submission.
struct queue {
  int ordinal = 0;         ///< the device's number in the platform
  void* handle = nullptr;  ///< the platform's own
};

/// A point in a queue that other queues can wait for.
struct event {
  void* handle = nullptr;
};

/// Work that was recorded in a queue.
struct recording {
  void* handle = nullptr;
};

/// A position in a queue's order of work. All work before a timeline point is done once the point
/// has passed.
using timeline_point = std::uint64_t;

class host_work;

namespace detail {

/// Runs work and measures it.
class work_tracer {
 public:
  virtual ~work_tracer() = default;
  /// Runs several times if the work is replayed.
  virtual void run(host_work& work) noexcept = 0;

  work_tracer(work_tracer const&) = delete;
  work_tracer& operator=(work_tracer const&) = delete;

 protected:
  work_tracer() = default;
};

}  // namespace detail

/// Host work in a queue: a kernel of a simulated GPU.
class host_work {
 public:
  virtual ~host_work() { delete tracer; }
  /// Runs several times if it belongs to a recording that is replayed.
  virtual void run() noexcept = 0;
  /// The host memory that the work keeps until it is done. The same at each call.
  virtual std::size_t bytes() const noexcept { return 0; }

  host_work() = default;
  host_work(host_work const&) = delete;
  host_work& operator=(host_work const&) = delete;

  /// Runs and, under a trace, measures the work.
  void run_traced() noexcept {
    if (tracer == nullptr) [[likely]]
      run();
    else tracer->run(*this);
  }

  host_work* next = nullptr;              ///< for the queue's list
  detail::work_tracer* tracer = nullptr;  ///< nullptr: the work is not traced
};

/// One end of a copy: an address, and the device of the platform that owns it.
struct endpoint {
  void* address = nullptr;
  int ordinal = host;

  static constexpr int host = -1;
};

/// A kind of device. Ordinals are the platform's own device numbers, from 0. A queue may
/// run its work immediately; no caller may rely on it.
class platform {
 public:
  virtual kind type() const noexcept = 0;
  /// The devices are made of host memory: kernels are the CPU's loops, and only the memory is
  /// separate.
  virtual bool simulated() const noexcept = 0;

  /// The number of devices. Makes no context and has no side effect.
  virtual int count() noexcept = 0;
  /// Why there are no devices, as a sentence; empty if there are some, or without a known reason.
  virtual std::string why_none() { return {}; }
  virtual hardware describe(int ordinal) = 0;
  /// Throws nothing; also works while the device's memory is full.
  virtual memory_info memory(int ordinal) noexcept = 0;

  virtual software_versions versions() noexcept { return {}; }

  /// Reserves an address range without memory behind it. Throws: out_of_memory.
  virtual void* reserve(int ordinal, std::size_t bytes) = 0;
  /// Commits memory for [offset, offset + bytes) of a range. The part begins at the end of
  /// committed memory or at a multiple of 2 MiB. So a platform that maps pages may round both ends
  /// up to that. Strong guarantee. Throws: out_of_memory.
  virtual void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) = 0;
  /// Called before the first use of committed memory. A simulated GPU poisons the memory here.
  virtual void first_use(int, void*, std::size_t, std::size_t) noexcept {}
  /// Releases the memory of such a part, not its addresses. Memory that was rounded up stays with
  /// the part before.
  virtual void decommit(int ordinal, void* base, std::size_t offset,
                        std::size_t bytes) noexcept = 0;
  /// Releases a whole range.
  virtual void release(int ordinal, void* base, std::size_t bytes) noexcept = 0;
  /// Called when a block is freed in the queue's order: work after this call does not use it. A
  /// simulated GPU poisons the block.
  virtual void retire(queue, void* address, std::size_t bytes) noexcept = 0;

  virtual queue open_queue(int ordinal) = 0;
  /// Closes a queue once its work is done.
  virtual void close_queue(queue) noexcept = 0;
  /// Enqueues a copy between two devices of this platform, or between a device and the host. Host
  /// memory that is read may change as soon as this returns. Host memory that is written is
  /// complete once the queue has been synchronised.
  virtual void copy(queue, endpoint to, endpoint from, std::size_t bytes) = 0;
  virtual event record(queue) = 0;
  /// Makes the queue's later work wait for the event. Frees the event, also if it throws.
  virtual void wait(queue, event) = 0;
  /// Blocks until the queue is empty. Throws: if work in the queue has failed.
  virtual void synchronise(queue) = 0;

  // The functions below have defaults for platforms without these features.

  /// The host memory that work in the queue keeps, such as bytes that wait to be copied.
  /// Units: bytes.
  virtual std::size_t queued_bytes(queue) noexcept { return 0; }

  /// The timeline point after all work enqueued so far.
  virtual timeline_point current_point(queue) noexcept { return 0; }
  /// An event that passes with the timeline point, or later. As record().
  virtual event record_at(queue q, timeline_point) { return record(q); }
  /// Copies data that is complete at a timeline point to the host, and waits for the copy. Does not
  /// wait for later work. Throws: if work in the queue has failed.
  virtual void fetch(queue q, timeline_point, void* to, endpoint from, std::size_t bytes) {
    copy(q, {to, endpoint::host}, from, bytes);
    synchronise(q);
  }
  /// Called after a kernel of this op was enqueued; the name is for error messages.
  virtual void launched(queue, std::string_view) {}

  /// Allocates memory of the queue's device from the platform's own allocator, for work of this
  /// queue. Throws: out_of_memory; placement_error if the platform has no allocator.
  virtual void* allocate(queue, std::size_t) {
    throw placement_error(
        "placement: this kind of GPU has no allocator of its own. Leave stream_ordered out.");
  }
  /// Deallocates it after all work enqueued so far.
  virtual void deallocate(queue, void*, std::size_t) noexcept {}
  /// Returns unused memory of that allocator to the device.
  virtual void trim_allocator(int) noexcept {}

  /// Starts recording: work is recorded and not run until end_recording(). Throws: placement_error
  /// if the platform has no recording.
  virtual void begin_recording(queue) {
    throw placement_error("placement: this kind of GPU cannot record work for replay.");
  }
  /// Ends the recording. Throws: the error that invalidated the recording; then there is none.
  virtual recording end_recording(queue) { return {}; }
  /// Enqueues all recorded work once more, in the queue of the recording.
  virtual void replay(queue, recording) {}
  /// Frees a recording that no queue will replay.
  virtual void drop(recording) noexcept {}

  /// Simulated platforms: whether the caller should run host work of this cost itself. True if the
  /// queue is idle and the work is shorter than waking a thread.
  virtual bool should_run_inline(queue, std::size_t) noexcept { return true; }
  /// Simulated platforms: enqueues host work, and deletes it when it is done or dropped. Called
  /// only after should_run_inline() returned false. May block while the queue is full.
  virtual void run(queue, host_work*) {}

  platform(platform const&) = delete;
  platform& operator=(platform const&) = delete;

 protected:
  platform() = default;
  ~platform() = default;
};

}}  // namespace placement::v0_1
