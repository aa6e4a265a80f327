#pragma once
/// The one decision: where a kernel runs, and why. Pure and constexpr: compile-time plans,
/// evaluation, explain and the log all ask this function, so they cannot disagree.

#include <placement/device/device_spec.hpp>
#include <placement/device/machine.hpp>

#include <string_view>

namespace placement::inline v0_1 {

/// Who asked for a device. The strongest wins: on() > a device in the types of tensors > innermost
/// scope > this thread's current device > priority.
enum class request_source : signed char { nobody, thread, scope, type, pin };

/// Whether all ops of a kernel go where it was asked to, whatever scopes they were written in.
constexpr bool is_pinned(request_source requested_by) noexcept {
  return requested_by >= request_source::type;
}

/// Is there a GPU kernel, as the program declares it, and in this file?
struct kernels_for {
  bool declared = false;    ///< op and element type have a GPU kernel
  bool launchable = false;  ///< this file was compiled with it
};

/// What one kernel asks for.
struct request {
  device_spec requested{};
  request_source requested_by = request_source::nobody;
  kernels_for gpu{};
};

/// What may be done when a request cannot be met.
struct policy {
  bool soft =
      true;  ///< a device or kernel that is missing: run elsewhere, visibly; false: an error
  bool fall_back = true;  ///< false: wherever a kernel would fall back, an error
};

/// Why a kernel runs where it runs.
enum class reason : signed char {
  pinned,             ///< by on()
  in_the_type,        ///< by the device in the type of the result or of all operands
  scope,              ///< by a device scope
  thread_device,      ///< by set_current_device
  gpu_first,          ///< nobody asked: a GPU goes before the CPU
  no_gpu,             ///< nobody asked, and there is no GPU
  no_gpu_kernel,      ///< the op has no GPU kernel for this element type
  not_compiled_here,  ///< its GPU kernel was not compiled into this file
  no_such_device,     ///< the device asked for does not exist
  no_such_task,       ///< job, replica or task are not this program's
};

/// In words, as logs and explain print it.
constexpr std::string_view to_string(reason r) noexcept {
  constexpr std::string_view words[] = {
      "pinned by on()",
      "device in the type",
      "device scope",
      "current device of the thread",
      "a GPU goes before the CPU",
      "no GPU on this machine",
      "no GPU kernel for this op and element type",
      "its GPU kernel was not compiled into this file, nor into another of this program",
      "no such device",
      "no such task in this program"};
  return words[static_cast<int>(r)];
}

/// What was decided for one kernel.
struct decision {
  placement::device device{};
  reason why{};
  bool fell_back =
      false;  ///< it does not run where it was asked to, or where a GPU would have gone first
  bool refused = false;  ///< it must not run at all: hard placement, or another task

  friend constexpr bool operator==(decision const&, decision const&) = default;
};

/// The reason that stands for who asked.
constexpr reason reason_of(request_source requested_by) noexcept {
  switch (requested_by) {
    case request_source::pin: return reason::pinned;
    case request_source::type: return reason::in_the_type;
    case request_source::scope: return reason::scope;
    case request_source::thread: return reason::thread_device;
    case request_source::nobody: break;
  }
  return reason::gpu_first;
}

/// Where a kernel runs. Cost: a few comparisons; usable in constant expressions.
constexpr decision place(request const& q, machine const& m, policy const& p) noexcept {
  bool const on_gpu = q.gpu.declared && (q.gpu.launchable || !m.real);
  reason const missing = q.gpu.declared ? reason::not_compiled_here : reason::no_gpu_kernel;

  if (q.requested_by != request_source::nobody && q.requested.is_of_another_task()) [[unlikely]]
    return {device{}, reason::no_such_task, true, true};
  bool const no_preference = q.requested.is_local() && !q.requested.local_device().has_value();
  if (q.requested_by == request_source::nobody || no_preference) {
    if (m.gpus == 0) return {cpu0, reason::no_gpu};
    return on_gpu ? decision{gpu0, reason::gpu_first} : decision{cpu0, missing, true, !p.fall_back};
  }

  device wanted = q.requested.is_local() ? q.requested.local_device() : device{};
  if (wanted.has_value() && wanted.index == any_index)
    wanted.index = 0;  // any of its kind: the lowest

  bool const exists = wanted.is_cpu()   ? wanted.index < m.cpus
                      : wanted.is_gpu() ? wanted.index < m.gpus
                                        : false;
  if (exists && (wanted.is_cpu() || on_gpu)) return {wanted, reason_of(q.requested_by)};

  reason const why = exists ? missing : reason::no_such_device;
  if (!p.soft) return {wanted, why, true, true};
  bool const asks_cpu = q.requested.is_local() ? wanted.is_cpu() : q.requested.name().type == "CPU";
  bool const another_gpu = !exists && !asks_cpu && m.gpus > 0 && on_gpu;
  return {another_gpu ? gpu0 : cpu0, why, true, !p.fall_back};
}

/// Is it CPU:0 that place() answers, without a fallback, whatever kernels there are and whatever
/// the policy? The plain cases in fewer comparisons: it is asked for, or nobody asks and there is
/// no GPU.
constexpr bool is_plainly_cpu0(device_spec requested, request_source requested_by,
                               machine const& m) noexcept {
  return requested_by == request_source::nobody ? m.gpus == 0 : requested == device_spec{cpu0};
}

}  // namespace placement::inline v0_1
