#pragma once
/// Starting a job on its device: at once on the CPU, in the device's queue on a GPU.

#include <placement/device/device.hpp>
#include <placement/device/shared_word.hpp>
#include <placement/kernels/job.hpp>
#include <placement/kernels/team.hpp>

#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace placement::inline v0_1 {

struct logical_device;

namespace detail {

template <class Job>
using cpu_kernel_of =
    kernel<cpu_kernels, typename Job::pattern, typename Job::op_type, typename Job::element>;

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

// ---- a job of any type

/// The CPU's kernel of a job.
template <class Job> void run_job(void const* job, team by) {
  static_cast<Job const*>(job)->template run<cpu_kernel_of<Job>>(by);
}
/// Copies a job, or destroys one where there is nothing to copy from. Jobs of plain values need
/// none of it.
using job_keeper = void (*)(void* to, void const* from);
template <class Job> void keep_job(void* to, void const* from) {
  if (from != nullptr) new (to) Job(*static_cast<Job const*>(from));
  else static_cast<Job*>(to)->~Job();
}

/// What a queue needs to know of jobs of one type.
struct job_type {
  std::size_t bytes;
  bool throws;
  void (*run)(void const*, team);
  job_keeper keep = nullptr;                      ///< nullptr: its bytes are the job
  launcher (*own)() = nullptr;                    ///< this file's launcher, where it has one
  shared_word<launcher> const* others = nullptr;  ///< else that of another file
};
template <class Kernel, bool Throws, class Job> constexpr job_type make_job_type() {
  job_type t{sizeof(Job), Throws || Job::may_throw, &run_job<Job>};
  if constexpr (!std::is_trivially_copyable_v<Job>) t.keep = &keep_job<Job>;
  if constexpr (Kernel::exists) t.own = &launcher_of<Kernel, Job>;
  else t.others = &gpu_launcher<Job>;
  return t;
}
template <class Kernel, bool Throws, class Job>
inline constexpr job_type type_of_job = make_job_type<Kernel, Throws, Job>();

/// A job of any type.
struct any_job {
  job_type const& type;
  void const* job;
  std::size_t steps;
};
/// Gives a job to the queue of a GPU. Throws: what the platform throws; on a simulated GPU also
/// what the job throws, after all that was before it.
template <class Once = void> void start_in_queue(device where, std::string_view op, any_job const&);

// ---- starting

/// For results that are computed by the CPU whatever the program says: no call, no test.
struct start_here {
  static constexpr device where = cpu0;

  template <class Kernel, bool Throws, class Job>
  [[gnu::always_inline]] void operator()(std::string_view, Job const& job) const {
    job.template run<cpu_kernel_of<Job>>(alone{});
  }
};

/// On the device that was decided. Cost: on the CPU a test and a call; elsewhere that of the queue,
/// and the host goes on.
struct start_there {
  device where;

  /// A job that the CPU does at once.
  template <class Job> static void run(Job const& job) { run_job<Job>(&job, {}); }

  template <class Kernel, bool Throws, class Job>
  [[gnu::always_inline]] void operator()(std::string_view op, Job const& job) const {
    if (where.is_cpu()) [[likely]]
      run(job);
    else start_in_queue(where, op, {type_of_job<Kernel, Throws, Job>, &job, job.steps()});
  }
};

}  // namespace detail
}  // namespace placement::inline v0_1
