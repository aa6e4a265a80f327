#pragma once
/// The execution context of a kernel: the device's stream, scratch memory, and a scope that
/// replaces the library's stream by the caller's.

#include <placement/device/logical_device.hpp>
#include <placement/memory/blocks.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/recorder.hpp>

#include <cstddef>

struct CUstream_st;  // CUDA's type; cudaStream_t and CUstream are pointers to it

namespace placement { inline namespace v0_1 { namespace cuda {

class work_queue;

namespace detail {

/// The queue of a logical CUDA device. Throws: invalid_argument for a device of another platform.
work_queue& queue_of(logical_device const& on);
/// Sends the work of a GPU to another stream. Holds the queue and the previous stream.
struct stream_switch {
  work_queue& queue;
  CUstream_st* before;
};
stream_switch switch_stream(device on, CUstream_st* theirs);
void restore_stream(stream_switch const& t) noexcept;

}  // namespace detail

/// The stream of a logical device's work: a cudaStream_t, which is the same type as CUstream. Makes
/// the device current on this thread and leaves it current.
/// Throws: placement_error if the device cannot be used; invalid_argument for a device that is not
/// CUDA's.
/// Cost: a query of the current context; the first call creates the context and the stream.
CUstream_st* stream_of(logical_device const& on);

/// Memory of a logical device for the kernels launched in one block of code. The destructor
/// deallocates the memory while the kernels may still run. This is safe because a queue runs its
/// work in order, and other queues wait for it. While the work is recorded, the recording keeps the
/// memory.
class scratch {
 public:
  /// Throws: out_of_memory.
  scratch(logical_device const& on, std::size_t bytes, call_site const& caller = {"Scratch"})
      : where_(on.id),
        bytes_(bytes),
        data_(placement::detail::allocate_block(where_, bytes, caller)) {
    if (placement::detail::recorder_here != nullptr) [[unlikely]]
      hand_over();
  }
  ~scratch() {
    if (!handed_over_) placement::detail::deallocate_block(where_, data_, bytes_);
  }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  void hand_over() {
    try {
      placement::detail::recorder_here->keep(where_, data_, bytes_);
    } catch (...) {
      placement::detail::deallocate_block(where_, data_, bytes_);
      throw;
    }
    handed_over_ = true;
  }

  device where_;
  std::size_t bytes_;
  void* data_;
  bool handed_over_ = false;
};

/// A scope in which the work of a logical GPU goes to the caller's stream. Earlier work on the
/// library's stream runs first; later work on that stream runs last. Events order the streams; the
/// host does not wait. The scope affects all threads, because they share the device's memory. While
/// it begins or ends, no other thread may launch work on the device.
/// Scopes for one device nest and end in the opposite order.
///
///     pl::cuda::use_stream const mine(pl::gpu0, stream);
///     y = pl::relu(x);                      // on the stream, before the caller's next kernel
class [[nodiscard]] use_stream {
 public:
  /// The stream must belong to the same GPU.
  /// Throws: placement_error, also for a missing device; invalid_argument for a device that is not
  /// CUDA's.
  use_stream(device on, CUstream_st* theirs) : switched_(detail::switch_stream(on, theirs)) {}
  ~use_stream() { detail::restore_stream(switched_); }
  use_stream(use_stream const&) = delete;
  use_stream& operator=(use_stream const&) = delete;

 private:
  detail::stream_switch switched_;
};

}}}  // namespace placement::v0_1::cuda
