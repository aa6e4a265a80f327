#pragma once
/// The placement function: decides the device of a kernel, and the reason. It is pure and
/// constexpr. Compile-time plans, evaluation, explain and the log all call it, so they cannot
/// disagree.

#include <placement/device/device_spec.hpp>
#include <placement/device/machine.hpp>
#include <placement/device/task_table.hpp>
#include <placement/place/request_source.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 {

/// The request of one kernel.
struct request {
  device_spec requested{};
  request_source requested_by = request_source::nobody;
  kernels_for gpu{};
};

/// The reason for a kernel's device.
enum class reason : signed char {
  pinned,             ///< By on().
  in_the_type,        ///< By the device in the type of the result or of all operands.
  scope,              ///< By a device scope.
  rule,               ///< By the rule of a device scope.
  thread_device,      ///< By set_current_device.
  gpu_first,          ///< No request: a GPU goes before the CPU.
  no_gpu,             ///< No request, and there is no GPU.
  no_gpu_kernel,      ///< The op has no GPU kernel for this element type.
  not_compiled_here,  ///< Its GPU kernel was compiled into no file of this program.
  no_such_device,     ///< The requested device does not exist.
  no_such_task,       ///< `job`, replica or task are not this program's.
  all_tasks,          ///< A collective, which all tasks run together.
};

/// The text of a reason in logs and in explain.
constexpr std::string_view to_string(reason r) noexcept {
  constexpr std::string_view words[] = {
      "pinned by on()",
      "device in the type",
      "device scope",
      "device rule",
      "current device of the thread",
      "a GPU goes before the CPU",
      "no GPU on this machine",
      "no GPU kernel for this op and element type",
      "its GPU kernel was not compiled into this file, nor into another of this program",
      "no such device",
      "no such task in this program",
      "all tasks together"};
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
    case request_source::rule: return reason::rule;
    case request_source::thread: return reason::thread_device;
    case request_source::nobody: break;
  }
  return reason::gpu_first;
}

constexpr decision place(request const& q, machine const& m, policy const& p) noexcept;

/// The number of the task that a spec names, in a program of `tasks` tasks. Below 0: there is none,
/// or several jobs have it.
constexpr int task_of(device_spec s, int tasks) noexcept {
  if (s.has_task_number())
    return s.task_number() < tasks ? s.task_number() : detail::task_table::none;
  if (std::is_constant_evaluated() && s.is_local()) return 0;
  return detail::find_task(s.name(), tasks);
}

namespace detail {
/// place() for a request of a task: there as here, since all tasks have the same devices.
constexpr decision place_on_task(request const& q, machine const& m, policy const& p) noexcept {
  int const task = task_of(q.requested, m.tasks);
  if (task < 0) return {device{}, reason::no_such_task, true, true};
  decision d = place({q.requested.without_task(), q.requested_by, q.gpu}, m, p);
  if (m.tasks > 1) d.device.task = static_cast<short>(task);
  return d;
}
}  // namespace detail

/// Decides the device of a kernel. Cost: comparisons only; usable in constant expressions.
constexpr decision place(request const& q, machine const& m, policy const& p) noexcept {
  bool const on_gpu = q.gpu.declared && (q.gpu.launchable || !m.real);
  reason const missing = q.gpu.declared ? reason::not_compiled_here : reason::no_gpu_kernel;

  if (q.requested_by != request_source::nobody && q.requested.names_task()) [[unlikely]]
    if (!q.requested.is_local() || m.tasks > 1) return detail::place_on_task(q, m, p);
  bool const names_no_device = q.requested.is_local() && !q.requested.local_device().has_value();
  if (q.requested_by == request_source::nobody || names_no_device) {
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
