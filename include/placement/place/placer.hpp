#pragma once
/// The placement function: decides the device of a kernel, and the reason. It is pure and
/// constexpr. Compile-time plans, evaluation, explain and the log all call it, so they cannot
/// disagree.

#include <placement/device/device_spec.hpp>
#include <placement/device/machine.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 {

/// The source of a request. The strongest wins: on() > a device in the types of tensors > innermost
/// scope > this thread's current device > priority.
enum class request_source : signed char { nobody, thread, scope, type, pin };

/// Whether all ops of a kernel use its requested device, whatever scopes they were written in.
constexpr bool is_pinned(request_source requested_by) noexcept {
  return requested_by >= request_source::type;
}

/// Whether the program declares a GPU kernel, and whether it can launch the kernel.
struct kernels_for {
  bool declared = false;    ///< Op and element type have a GPU kernel.
  bool launchable = false;  ///< It was compiled into this file or another one.
};

/// The file that a kernel on a hardware GPU was compiled in.
enum class kernel_source : unsigned char {
  none,               ///< The kernel runs on the CPU or on a simulated GPU.
  placement_kernels,  ///< A file of the CMake target placement::kernels.
  another_file,       ///< Another file of the program.
  this_file,          ///< The file that evaluates the expression.
};

/// The text of a source in logs and in explain; empty for `none` and `this_file`.
constexpr std::string_view to_string(kernel_source s) noexcept {
  if (s == kernel_source::placement_kernels) return "kernel of placement::kernels";
  return s == kernel_source::another_file ? "kernel of another file" : "";
}

/// The request of one kernel.
struct request {
  device_spec requested{};
  request_source requested_by = request_source::nobody;
  kernels_for gpu{};
};

/// The permitted fallbacks when a request cannot be met. Each fallback is reported.
struct policy {
  bool soft = true;       ///< Run elsewhere if device or kernel is missing; false: an error.
  bool fall_back = true;  ///< False: any fallback is an error.
};

/// The reason for a kernel's device.
enum class reason : signed char {
  pinned,             ///< By on().
  in_the_type,        ///< By the device in the type of the result or of all operands.
  scope,              ///< By a device scope.
  thread_device,      ///< By set_current_device.
  gpu_first,          ///< No request: a GPU goes before the CPU.
  no_gpu,             ///< No request, and there is no GPU.
  no_gpu_kernel,      ///< The op has no GPU kernel for this element type.
  not_compiled_here,  ///< Its GPU kernel was compiled into no file of this program.
  no_such_device,     ///< The requested device does not exist.
  no_such_task,       ///< `job`, replica or task are not this program's.
};

/// The text of a reason in logs and in explain.
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

/// The placement of one kernel.
struct decision {
  placement::device device{};
  reason why{};
  bool fell_back = false;  ///< Not the requested device, or without a request not GPU:0.
  bool refused = false;    ///< The kernel must not run: hard placement, or another task.

  friend constexpr bool operator==(decision const&, decision const&) = default;
};

/// The reason for a request from this source.
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

/// Decides the device of a kernel. Cost: comparisons only; usable in constant expressions.
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

/// Whether place() returns CPU:0 without a fallback, for any kernels and any policy. Tests the
/// plain cases only: CPU:0 is requested, or there is no request and no GPU. Needs fewer comparisons
/// than place().
constexpr bool is_plainly_cpu0(device_spec requested, request_source requested_by,
                               machine const& m) noexcept {
  return requested_by == request_source::nobody ? m.gpus == 0 : requested == device_spec{cpu0};
}

}}  // namespace placement::v0_1
