#pragma once
/// Starting a job on its device: at once on the CPU, in the device's queue on a GPU.

#include <placement/cpu/parallel_for.hpp>
#include <placement/device/device.hpp>
#include <placement/kernels/kernel_launch.hpp>
#include <placement/runtime/shared_word.hpp>

#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace placement::inline v0_1 {

struct logical_device;

namespace detail {

template <class Launch>
using cpu_kernel_of = kernel<cpu_kernels, typename Launch::pattern, typename Launch::op_type,
                             typename Launch::element>;

// ---- how a file that has no kernels for GPUs finds those of another file

using launcher = void (*)(logical_device const& on, void const* kernel_launch);

/// What launches jobs of a type on a GPU, once a file with its kernel is part of the program;
/// nullptr without one. A job's type says all that its kernel depends on, so the files meet here.
template <class Launch>
PLACEMENT_PROCESS_STATE inline constinit detail::shared_word<launcher> gpu_launcher{nullptr};

template <class Kernel, class Launch>
void launch_on_gpu(logical_device const& on, void const* kernel_launch) {
  static_cast<Launch const*>(kernel_launch)->template run<Kernel>(on);
}
/// Says, before main, that this program has a kernel for jobs of a type.
template <class Kernel, class Launch> struct launcher_registration {
  static inline bool const registered =
      (gpu_launcher<Launch>.set(&launch_on_gpu<Kernel, Launch>), true);
};

/// The launcher of a job: this file's own kernel, or another file's.
template <class Kernel, class Launch> launcher launcher_of() noexcept {
  if constexpr (Kernel::exists) {
    static_cast<void>(&launcher_registration<Kernel, Launch>::registered);
    return &launch_on_gpu<Kernel, Launch>;
  } else {
    return gpu_launcher<Launch>.peek();
  }
}

// ---- a job of any type

/// The CPU's kernel of a job.
template <class Launch> void run_on_cpu(void const* kernel_launch, par by) {
  static_cast<Launch const*>(kernel_launch)->template run<cpu_kernel_of<Launch>>(by);
}
/// Copies a job, or destroys one where there is nothing to copy from. Jobs of plain values need
/// none of it.
using launch_copier = void (*)(void* to, void const* from);
template <class Launch> void copy_launch(void* to, void const* from) {
  if (from != nullptr) new (to) Launch(*static_cast<Launch const*>(from));
  else static_cast<Launch*>(to)->~Launch();
}

/// What a queue needs to know of jobs of one type.
struct launch_type {
  std::size_t bytes;
  bool throws;
  void (*run)(void const*, par);
  launch_copier keep = nullptr;                   ///< nullptr: its bytes are the job
  launcher (*own)() = nullptr;                    ///< this file's launcher, where it has one
  shared_word<launcher> const* others = nullptr;  ///< else that of another file
};
template <class Kernel, bool Throws, class Launch> constexpr launch_type make_launch_type() {
  launch_type t{sizeof(Launch), Throws || Launch::may_throw, &run_on_cpu<Launch>};
  if constexpr (!std::is_trivially_copyable_v<Launch>) t.keep = &copy_launch<Launch>;
  if constexpr (Kernel::exists) t.own = &launcher_of<Kernel, Launch>;
  else t.others = &gpu_launcher<Launch>;
  return t;
}
template <class Kernel, bool Throws, class Launch>
inline constexpr launch_type type_of_launch = make_launch_type<Kernel, Throws, Launch>();

/// A job of any type.
struct any_launch {
  launch_type const& type;
  void const* kernel_launch;
  std::size_t cost;
};
/// Gives a job to the queue of a GPU. Throws: what the platform throws; on a simulated GPU also
/// what the job throws, after all that was before it.
template <class Once = void>
void enqueue_launch(device where, std::string_view op, any_launch const&);

// ---- starting

/// For results that are computed by the CPU whatever the program says: no call, no test.
struct launch_inline {
  static constexpr device where = cpu0;

  template <class Kernel, bool Throws, class Launch>
  [[gnu::always_inline]] void operator()(std::string_view, Launch const& kernel_launch) const {
    kernel_launch.template run<cpu_kernel_of<Launch>>(seq{});
  }
};

/// On the device that was decided. Cost: on the CPU a test and a call; elsewhere that of the queue,
/// and the host goes on.
struct launch_on {
  device where;

  /// A job that the CPU does at once.
  template <class Launch> static void run(Launch const& kernel_launch) {
    run_on_cpu<Launch>(&kernel_launch, {});
  }

  template <class Kernel, bool Throws, class Launch>
  [[gnu::always_inline]] void operator()(std::string_view op, Launch const& kernel_launch) const {
    if (where.is_cpu()) [[likely]]
      run(kernel_launch);
    else
      enqueue_launch(
          where, op,
          {type_of_launch<Kernel, Throws, Launch>, &kernel_launch, kernel_launch.cost()});
  }
};

}  // namespace detail
}  // namespace placement::inline v0_1
