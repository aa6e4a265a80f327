#pragma once
/// One GPU of the CUDA driver: a context created at its first use, and checked driver calls.

#include <placement/config.hpp>
#include <placement/cuda/driver.cuh>
#include <placement/cuda/enumeration.cuh>
#include <placement/error.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/fork.ipp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// Set when the program exits. The driver is not called afterwards, because it may be unloaded.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<bool> program_ends{false};

/// Registers the exit handler when the first context is created. Exit handlers run in reverse
/// order, so a late registration runs early.
PLACEMENT_PROCESS_STATE inline void install_exit_handler() {
  static int const watching =
      std::atexit([] { program_ends.store(true, std::memory_order_relaxed); });
  static_cast<void>(watching);
}

/// The number of failed driver calls in functions that cannot throw.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<long> swallowed{0};

/// CUDA_ERROR_CONTAINED, a memory error that only this context saw. Older toolkits do not name it.
inline constexpr auto contained_error = static_cast<CUresult>(226);

/// After these errors the context is unusable: each call returns the same error again. The numbers
/// from 700 on are errors of running kernels, also those of newer drivers, with exceptions.
constexpr bool is_sticky(CUresult code) noexcept {
  switch (code) {
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING:
    case CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
    case CUDA_ERROR_PEER_ACCESS_NOT_ENABLED:
    case CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE:
    case CUDA_ERROR_TOO_MANY_PEERS:
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: return false;
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case contained_error: return true;
    default: return code >= CUDA_ERROR_ILLEGAL_ADDRESS && static_cast<int>(code) < 800;
  }
}

constexpr std::string_view advice(CUresult code) noexcept {
  if (is_sticky(code))
    return "The GPU is lost to this program: end it, and look for the kernel with "
           "compute-sanitizer.";
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    return "Free tensors, use smaller batches, or look with nvidia-smi who else uses the GPU.";
  return "Look with nvidia-smi whether the GPU is well.";
}

}  // namespace detail

/// The number of driver calls that failed in functions that cannot throw, such as destructors.
inline long swallowed_errors() noexcept {
  return detail::swallowed.load(std::memory_order_relaxed);
}

/// A GPU that the driver lists. Thread: safe.
class cuda_device {
 public:
  cuda_device(driver const& api, found_device found) : api_(api), found_(std::move(found)) {}
  cuda_device(cuda_device const&) = delete;
  cuda_device& operator=(cuda_device const&) = delete;

  driver const& api() const noexcept { return api_; }
  CUdevice handle() const noexcept { return found_.handle; }
  hardware const& about() const noexcept { return found_.about; }
  /// "device 0 (NVIDIA H100 80GB HBM3, 0000:01:00.0)"
  std::string name() const {
    return (about().machine_index < 0 ? std::string("the device")
                                      : "device " + std::to_string(about().machine_index)) +
           " (" + about().name + ", " + about().pci_bus_id + ")";
  }

  /// Makes the GPU current on the calling thread and leaves it current.
  /// Throws: placement_error if the context cannot be created or the GPU is no longer usable.
  /// Cost: the first call creates the context (some 100 ms); later calls query the current context.
  void make_current() {
    if (entry const state = enter(); state != entry::open) throw_unusable(state);
  }
  /// Like make_current(), but returns false on failure instead of throwing.
  bool try_make_current() noexcept { return enter() == entry::open; }
  /// The context that make_current() created; nullptr before.
  CUcontext context() const noexcept { return context_.load(std::memory_order_acquire); }

  /// Calls the driver. Throws: placement_error that names call, device and error.
  template <class F, class... A> void call(F const& function, A... arguments) {
    make_current();
    if (CUresult const code = function(arguments...); code != CUDA_SUCCESS)
      throw_error(function.name(), code);
  }
  /// Like call(), for driver functions that allocate memory.
  /// Throws: out_of_memory with the driver's error, or placement_error.
  template <class F, class... A> void call_for_memory(F const& function, A... arguments) {
    make_current();
    CUresult const code = function(arguments...);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) throw out_of_memory(text_of(function.name(), code));
    if (code != CUDA_SUCCESS) throw_error(function.name(), code);
  }
  /// Like call(), but returns false on failure instead of throwing. A failed call is counted in
  /// swallowed_errors().
  template <class F, class... A> bool try_call(F const& function, A... arguments) noexcept {
    if (!try_make_current()) return false;
    CUresult const code = function(arguments...);
    if (code == CUDA_SUCCESS) return true;
    detail::swallowed.fetch_add(1, std::memory_order_relaxed);
    note(function.name(), code);
    return false;
  }

  /// Records the op of a launched kernel. Messages of later errors list the last ops.
  void note_kernel(std::string_view op) noexcept {
    lock_guard const guard(kernels_guard_);
    kernels_[next_kernel_++ % max_kernels] = op;
  }
  /// Records an error that a call of the CUDA runtime or of a library returned. After a sticky
  /// error, further use of the device throws.
  void note(std::string_view function, CUresult code) noexcept {
    if (detail::is_sticky(code)) note_loss(function, code);
  }
  /// Throws: placement_error that names call, device and error.
  [[noreturn, gnu::cold, gnu::noinline]] void throw_error(std::string_view function,
                                                          CUresult code) {
    note(function, code);
    throw placement_error("placement: " + text_of(function, code) +
                          (detail::is_sticky(code) ? after_kernels() : std::string()) + ". " +
                          std::string(detail::advice(code)));
  }

  /// Why the device is unusable; empty while it is usable.
  std::string why_lost() const {
    lock_guard const guard(guard_);
    return why_lost_;
  }

 private:
  enum class entry { open, program_ends, forked, lost };

  std::string text_of(std::string_view function, CUresult code) const {
    return std::string(function) + " on " + name() + " failed: " + api_.text_of(code);
  }

  /// ", after kernels of Exp, MatMul": the last launched ops, oldest first.
  std::string after_kernels() const {
    lock_guard const guard(kernels_guard_);
    std::string text;
    for (std::size_t i = 0; i != max_kernels; ++i)
      if (std::string_view const op = kernels_[(next_kernel_ + i) % max_kernels]; !op.empty())
        text += (text.empty() ? ", after kernels of " : ", ") + std::string(op);
    return text;
  }

  entry enter() noexcept {
    if (detail::program_ends.load(std::memory_order_relaxed)) return entry::program_ends;
    if (placement::detail::forked_from_gpus.peek()) return entry::forked;
    if (lost_.load(std::memory_order_acquire)) return entry::lost;
    if (context() == nullptr && !retain()) return entry::lost;
    CUcontext now = nullptr;
    if (api_.current_context(&now) == CUDA_SUCCESS && now == context()) return entry::open;
    CUresult const code = api_.set_current_context(context());
    if (code == CUDA_SUCCESS) return entry::open;
    note_loss(api_.set_current_context.name(), code);
    return entry::lost;
  }

  /// Creates the context at the first call; false if that fails.
  bool retain() noexcept {
    lock_guard const guard(guard_);
    if (context() != nullptr || lost_.load(std::memory_order_relaxed)) return context() != nullptr;
    detail::install_exit_handler();
    CUcontext made = nullptr;
    CUresult const code = api_.retain_context(&made, found_.handle);
    if (code == CUDA_SUCCESS) context_.store(made, std::memory_order_release);
    else note_loss_locked(api_.retain_context.name(), code);
    return code == CUDA_SUCCESS;
  }

  void note_loss(std::string_view function, CUresult code) noexcept {
    lock_guard const guard(guard_);
    note_loss_locked(function, code);
  }
  /// Keeps the first reason.
  void note_loss_locked(std::string_view function, CUresult code) noexcept {
    if (lost_.load(std::memory_order_relaxed)) return;
    try {
      why_lost_ = text_of(function, code) + after_kernels();
    } catch (...) {  // the host is out of memory: no message
    }
    lost_.store(true, std::memory_order_release);
  }

  [[noreturn, gnu::cold, gnu::noinline]] void throw_unusable(entry why) {
    if (why == entry::program_ends)
      throw placement_error("placement: " + name() +
                            " cannot be used any more: the program ends. Let tensors end before "
                            "main does.");
    if (why == entry::forked)
      throw placement_error(
          "placement: " + name() +
          " cannot be used here: this process was forked from one that had opened "
          "the CUDA driver, and GPUs do not survive fork(). Fork before the first "
          "look at the GPUs, or start a new program with exec.");
    throw placement_error("placement: " + name() + " cannot be used: " + why_lost() +
                          ". End the program, and look with nvidia-smi who else uses the GPU.");
  }

  driver const& api_;
  found_device found_;
  std::atomic<CUcontext> context_{nullptr};
  std::atomic<bool> lost_{false};
  std::string why_lost_;
  mutable lock guard_;
  static constexpr std::size_t max_kernels = 4;
  std::string_view kernels_[max_kernels];  ///< a ring; op names have static storage
  std::size_t next_kernel_ = 0;
  mutable lock kernels_guard_;
};

}}}  // namespace placement::v0_1::cuda
