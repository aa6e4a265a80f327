#pragma once
/// Starts a kernel launch on its device: immediately on the CPU, in the device's queue on a GPU.

#include <placement/cpu/parallel_for.hpp>
#include <placement/device/device.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/kernels/kernel_launch.hpp>
#include <placement/place/placer.hpp>
#include <placement/runtime/shared_word.hpp>

#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

struct logical_device;

namespace detail {

template <class Launch, class K = cpu_kernels>
using cpu_kernel_of =
    kernel<K, typename Launch::pattern, typename Launch::op_type, typename Launch::element>;

// ---- how a file without GPU kernels finds those of another file

using launcher = void (*)(logical_device const& on, void const* kernel_launch);

/// Runs kernel launches of a type on a GPU; nullptr unless a file of the program contains the
/// kernel. The type of a launch determines its kernel, so all files share this variable.
template <class Launch>
PLACEMENT_PROCESS_STATE inline constinit detail::shared_word<launcher> gpu_launcher{nullptr};

template <class Kernel, class Launch>
void launch_on_gpu(logical_device const& on, void const* kernel_launch) {
  static_cast<Launch const*>(kernel_launch)->template run<Kernel>(on);
}
/// Stores a launcher for other files. Those of placement::kernels replace none. Returns true.
inline bool register_launcher(shared_word<launcher>& word, launcher own,
                              kernel_source source) noexcept {
  launcher seen = nullptr;
  if (source == kernel_source::placement_kernels) word.replace(seen, own);
  else word.set(own);
  return true;
}
/// Registers the kernel for launches of a type during static initialisation.
template <class Kernel, class Launch, kernel_source Source> struct launcher_registration {
  static inline bool const registered =
      register_launcher(gpu_launcher<Launch>, &launch_on_gpu<Kernel, Launch>, Source);
};

/// The launcher of a kernel launch: this file's own kernel, or another file's. Source: for other
/// files.
template <class Kernel, class Launch, kernel_source Source = kernel_source::another_file>
launcher launcher_of() noexcept {
  if constexpr (Kernel::exists) {
    static_cast<void>(&launcher_registration<Kernel, Launch, Source>::registered);
    return &launch_on_gpu<Kernel, Launch>;
  } else {
    return gpu_launcher<Launch>.peek();
  }
}

// ---- type-erased kernel launches

/// Runs the CPU kernel of a kernel launch.
template <class Launch, class K = cpu_kernels> void run_on_cpu(void const* kernel_launch, par by) {
  static_cast<Launch const*>(kernel_launch)->template run<cpu_kernel_of<Launch, K>>(by);
}
/// Copies a kernel launch, or destroys it if `from` is null. Trivially copyable launches do not
/// need it.
using launch_copier = void (*)(void* to, void const* from);
/// Whether no launch_copier is needed. The compilers' own trait: std's instantiates five classes
/// for each expression.
template <class T> inline constexpr bool is_trivially_copyable = __is_trivially_copyable(T);
template <class Launch> void copy_launch(void* to, void const* from) {
  if (from != nullptr) new (to) Launch(*static_cast<Launch const*>(from));
  else static_cast<Launch*>(to)->~Launch();
}

/// How a queue handles kernel launches of one type.
struct launch_type {
  std::size_t bytes;
  bool throws;
  void (*run)(void const*, par);
  launch_copier keep = nullptr;                   ///< nullptr: the launch is trivially copyable
  launcher (*own)() = nullptr;                    ///< this file's launcher, if it has one
  shared_word<launcher> const* others = nullptr;  ///< else that of another file
};
template <class Kernel, bool Throws, class Launch, class K>
constexpr launch_type make_launch_type() {
  launch_type t{sizeof(Launch), Throws || Launch::may_throw, &run_on_cpu<Launch, K>};
  if constexpr (!is_trivially_copyable<Launch>) t.keep = &copy_launch<Launch>;
  if constexpr (Kernel::exists) t.own = &launcher_of<Kernel, Launch>;
  else t.others = &gpu_launcher<Launch>;
  return t;
}
template <class Kernel, bool Throws, class Launch, class K = cpu_kernels>
inline constexpr launch_type type_of_launch = make_launch_type<Kernel, Throws, Launch, K>();

/// A type-erased kernel launch.
struct any_launch {
  launch_type const& type;
  void const* kernel_launch;
  std::size_t cost;
};
/// Adds a kernel launch to the queue of a GPU. Throws: exceptions of the platform. On a simulated
/// GPU also the exceptions of the kernel, after all earlier work is done.
void enqueue_launch(device where, std::string_view op, any_launch const&);

// ---- starting

/// For results that the CPU always computes: neither a call nor a test at run time.
struct launch_inline {
  static constexpr device where = cpu0;

  template <class Kernel, bool Throws, class Launch>
  PLACEMENT_ALWAYS_INLINE void operator()(std::string_view, Launch const& kernel_launch) const {
    kernel_launch.template run<cpu_kernel_of<Launch>>(seq{});
  }
};

/// Starts on the resolved device. Cost: on the CPU a test and a call; on a GPU the queue's cost,
/// without waiting.
struct launch_on {
  device where;

  /// Runs a kernel launch on the CPU before it returns.
  template <class Launch> static void run(Launch const& kernel_launch) {
    run_on_cpu<Launch>(&kernel_launch, {});
  }

  template <class Kernel, bool Throws, class Launch>
  PLACEMENT_ALWAYS_INLINE void operator()(std::string_view op, Launch const& kernel_launch) const {
    traced_launch const traced({op, where});
    if (where.is_cpu()) [[likely]]
      run(kernel_launch);
    else
      enqueue_launch(
          where, op,
          {type_of_launch<Kernel, Throws, Launch>, &kernel_launch, kernel_launch.cost()});
  }
};

}  // namespace detail
}}  // namespace placement::v0_1
