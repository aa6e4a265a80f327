#pragma once
/// Starting a job on its device: at once on the CPU, in the device's queue on a GPU.

#include <placement/device/logical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/registry.hpp>
#include <placement/device/shared_word.hpp>
#include <placement/kernels/job.hpp>

#include <cassert>
#include <string_view>
#include <utility>

namespace placement::inline v0_1::detail {

// ---- how a file that has no kernels for GPUs finds those of another file

using launcher = void (*)(logical_device const& on, void const* job);

/// What launches jobs of a type on a GPU, once a file with its kernel is part of the program;
/// nullptr without one. A job's type says all that its kernel depends on, so the files meet here.
template <class Job>
PLACEMENT_PROCESS_STATE inline constinit detail::shared_word<launcher> gpu_launcher{nullptr};

template <class Kernel, class Job> void launch_job(logical_device const& on, void const* job) {
  static_cast<Job const*>(job)->template run<Kernel>(on);
}
/// Says, before main, that this program has a kernel for jobs of a type.
template <class Kernel, class Job> struct launchable {
  static inline bool const said = (gpu_launcher<Job>.set(&launch_job<Kernel, Job>), true);
};

/// The launcher of a job: this file's own kernel, or another file's.
template <class Kernel, class Job> launcher launcher_of() noexcept {
  if constexpr (Kernel::exists) {
    static_cast<void>(&launchable<Kernel, Job>::said);
    return &launch_job<Kernel, Job>;
  } else {
    return gpu_launcher<Job>.peek();
  }
}

// ---- starting

template <class Job>
using cpu_kernel_of =
    kernel<cpu_kernels, typename Job::pattern, typename Job::op_type, typename Job::element>;

/// A job in the queue of a simulated GPU.
template <class Job> class queued_job final : public host_work {
 public:
  explicit queued_job(Job const& job) : job_(job) {}
  void run() noexcept override { job_.template run<cpu_kernel_of<Job>>(); }

 private:
  Job job_;
};

/// Kernel: this file's for GPUs, or no_kernel. Throws: what the platform throws; on a simulated
/// GPU also what the job throws, after all that was before it.
template <class Kernel, bool Throws, class Job>
[[gnu::noinline]] void start_in_queue(device where, std::string_view op, Job const& job) {
  logical_device const& on = logical(where);
  if (!on.owner->simulated()) {
    launcher const launch = launcher_of<Kernel, Job>();
    assert(launch != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    launch(on, &job);
  } else if constexpr (Throws) {
    on.owner->synchronise(on.work);
    job.template run<cpu_kernel_of<Job>>();
  } else if (on.owner->at_once(on.work, job.steps())) {
    job.template run<cpu_kernel_of<Job>>();
  } else {
    on.owner->run(on.work, new queued_job<Job>(job));
  }
  on.owner->launched(on.work, op);
}

/// Starts a job. Cost: on the CPU a test; elsewhere that of the queue, and the host goes on.
template <class Kernel, bool Throws, class Job>
[[gnu::always_inline]] inline void start(device where, std::string_view op, Job const& job) {
  if (where.is_cpu()) [[likely]]
    job.template run<cpu_kernel_of<Job>>();
  else start_in_queue<Kernel, Throws || Job::may_throw>(where, op, job);
}

}  // namespace placement::inline v0_1::detail
