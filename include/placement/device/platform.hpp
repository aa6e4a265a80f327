#pragma once
/// The seam between the library and a kind of hardware: what a device must be able to do.
///
/// A platform counts and describes its devices without side effects, hands out address ranges that
/// are backed by memory piece by piece, and works through queues in order. Derive from it to add
/// hardware; the library ships the CPU and simulated GPUs, and the CUDA platform is registered by
/// files that a CUDA compiler built.

#include <placement/device/device.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace placement::inline v0_1 {

/// What is known of a device without using it.
struct hardware {
  std::string name;          ///< "Simulated GPU"
  std::string pci_bus_id;    ///< "0000:01:00.0"; empty for a CPU
  std::string uuid;          ///< "GPU-..." ; empty for a CPU
  int capability_major = 0;  ///< CUDA compute capability; 0.0 for a CPU
  int capability_minor = 0;
  int machine_index =
      -1;  ///< the machine's own number, before any CUDA_VISIBLE_DEVICES; -1 = not known
  int driver_index = -1;         ///< its number in CUDA, after CUDA_VISIBLE_DEVICES; -1 = has none
  std::size_t memory_bytes = 0;  ///< all of its memory, whoever has it
};

/// Memory of one device, in bytes. `free` excludes what other processes hold.
struct memory_info {
  std::size_t free = 0;
  std::size_t total = 0;
};

/// What drives a platform's devices, as CUDA counts versions: 13000 is 13.0; 0 = none.
struct software_versions {
  int runtime = 0;
  int driver = 0;
};

/// A queue of one device: work in it runs in the order it was given.
struct queue {
  int ordinal = 0;         ///< which device of the platform
  void* handle = nullptr;  ///< the platform's own
};

/// A point in a queue that others can wait for.
struct event {
  void* handle = nullptr;
};

/// Work that was recorded in a queue.
struct recording {
  void* handle = nullptr;
};

/// Counts the work that was given to a queue. All work up to a mark is done once the mark has
/// passed.
using timeline_point = std::uint64_t;

/// Work of the host in a queue: what a kernel of a simulated GPU is.
class host_work {
 public:
  virtual ~host_work() = default;
  /// More than once where the work is part of a recording that is replayed.
  virtual void run() noexcept = 0;
  /// Host memory that it keeps until it is done. The same at each call.
  virtual std::size_t bytes() const noexcept { return 0; }

  host_work() = default;
  host_work(host_work const&) = delete;
  host_work& operator=(host_work const&) = delete;

  host_work* next = nullptr;  ///< the queue's
};

/// One end of a copy: an address and the device of the platform that owns it.
struct endpoint {
  void* address = nullptr;
  int ordinal = host;

  static constexpr int host = -1;
};

/// A kind of device. Ordinals count the platform's devices from 0, before any renumbering.
/// Queues may run work at once; no caller may count on it.
class platform {
 public:
  virtual kind type() const noexcept = 0;
  /// Made of host memory: kernels are the CPU's loops, only the memory is apart.
  virtual bool simulated() const noexcept = 0;

  /// How many devices there are. No context, no side effect.
  virtual int count() noexcept = 0;
  /// Why there are none, as a sentence; empty where there are some, or nothing is to be said.
  virtual std::string why_none() { return {}; }
  virtual hardware describe(int ordinal) = 0;
  /// Throws: nothing; works while the device is full.
  virtual memory_info memory(int ordinal) noexcept = 0;

  virtual software_versions versions() noexcept { return {}; }

  /// Takes an address range without memory behind it. Throws: out_of_memory.
  virtual void* reserve(int ordinal, std::size_t bytes) = 0;
  /// Backs [offset, offset + bytes) of a range. The part begins where memory that is backed ends,
  /// or at a multiple of 2 MiB, so a platform that maps pages may round both ends up to them.
  /// Strong: a failure changes nothing. Throws: out_of_memory.
  virtual void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) = 0;
  /// Called before committed memory is used for the first time. A simulated GPU poisons it here.
  virtual void first_use(int, void*, std::size_t, std::size_t) noexcept {}
  /// Gives the memory of such a part back, not the addresses: what was rounded up stays with the
  /// part before.
  virtual void decommit(int ordinal, void* base, std::size_t offset,
                        std::size_t bytes) noexcept = 0;
  /// Gives a whole range back.
  virtual void release(int ordinal, void* base, std::size_t bytes) noexcept = 0;
  /// Told that a block inside a range is nobody's from here on in the queue's order (a simulated
  /// GPU poisons it).
  virtual void retire(queue, void* address, std::size_t bytes) noexcept = 0;

  virtual queue open_queue(int ordinal) = 0;
  /// Ends a queue once its work is done.
  virtual void close_queue(queue) noexcept = 0;
  /// Queues a copy between two devices of this platform, or between one and the host. Memory of the
  /// host that is read may change as soon as this returns; what is written to the host is there
  /// once the queue was waited for.
  virtual void copy(queue, endpoint to, endpoint from, std::size_t bytes) = 0;
  virtual event record(queue) = 0;
  /// Holds the queue's later work until the event has passed. Frees the event, also when it throws.
  virtual void wait(queue, event) = 0;
  /// Blocks until the queue is empty. Throws: where work in it has failed.
  virtual void synchronise(queue) = 0;

  // What follows has an answer for platforms that cannot do better.

  /// Host memory that work in the queue keeps: bytes that wait to be copied. Units: bytes.
  virtual std::size_t queued_bytes(queue) noexcept { return 0; }

  /// Everything that was given to the queue so far.
  virtual timeline_point current_point(queue) noexcept { return 0; }
  /// An event that passes once the mark has, or later. As record().
  virtual event record_at(queue q, timeline_point) { return record(q); }
  /// Copies to the host what was complete at a mark, and waits for that; later work need not be
  /// done. Throws: where work in the queue has failed.
  virtual void fetch(queue q, timeline_point, void* to, endpoint from, std::size_t bytes) {
    copy(q, {to, endpoint::host}, from, bytes);
    synchronise(q);
  }
  /// Told that a kernel of this op has been given to the queue, for what is said of errors.
  virtual void launched(queue, std::string_view) {}

  /// Hands out memory of the queue's device by an allocator of the platform's own, for work of this
  /// queue. Throws: out_of_memory; placement_error where the platform has none.
  virtual void* allocate(queue, std::size_t) {
    throw placement_error(
        "placement: this kind of GPU has no allocator of its own. Leave stream_ordered out.");
  }
  /// Takes it back behind what the queue was given so far.
  virtual void deallocate(queue, void*, std::size_t) noexcept {}
  /// Gives memory of that allocator that nobody uses back to the device.
  virtual void trim_allocator(int) noexcept {}

  /// From here on what is given to the queue is recorded and not done, until end_recording().
  /// Throws: placement_error where the platform cannot.
  virtual void begin_recording(queue) {
    throw placement_error("placement: this kind of GPU cannot record work for replay.");
  }
  /// Throws: what spoiled the recording; then there is none.
  virtual recording end_recording(queue) { return {}; }
  /// Queues all that was recorded once more. The queue is that of the recording.
  virtual void replay(queue, recording) {}
  /// Frees a recording that no queue has to replay any more.
  virtual void drop(recording) noexcept {}

  /// Simulated platforms: whether host work of so many steps is best done at once by who brings it,
  /// because nothing is before it and handing it over would take longer.
  virtual bool should_run_inline(queue, std::size_t) noexcept { return true; }
  /// Simulated platforms: queues host work, and deletes it when it is done or dropped. Called only
  /// where should_run_inline() said no. May block while the queue is full.
  virtual void run(queue, host_work*) {}

  platform(platform const&) = delete;
  platform& operator=(platform const&) = delete;

 protected:
  platform() = default;
  ~platform() = default;
};

}  // namespace placement::inline v0_1
