#pragma once
/// Placement as typed events: what ran where and why. The text forms of the log are written from
/// them, and a program may observe them.

#include <placement/device/device_spec.hpp>
#include <placement/place/label.hpp>
#include <placement/place/placer.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace placement::inline v0_1 {

/// What an event is about.
enum class op_event_kind : unsigned char {
  op,        ///< an op of a kernel that is about to run, after the kernels of its operands
  fallback,  ///< a kernel does not run where it was requested to, or where a GPU would go first
  copy,      ///< placement copied an operand to the device of its kernel, or on() a tensor
  copy_to,   ///< copy_to() is called: 0 bytes where the elements are on that device already
};

/// One event. Views of text and shape are valid during the observer's call; names of ops and
/// element types for ever.
struct op_event {
  op_event_kind kind = op_event_kind::op;
  std::string_view op{};       ///< "Add"; of a copy: "Copy"
  std::string_view element{};  ///< "float": the type its kernel is looked up by; of `copy`: empty
  std::span<std::ptrdiff_t const> shape{};  ///< of the result; of `copy`: empty
  device_spec requested{};                  ///< by the kernel's outermost op
  request_source requested_by{};
  device actual{};            ///< where the kernel runs; of copies: where the elements go
  reason why{};               ///< of ops and fallbacks
  bool fell_back = false;     ///< actual is not what was requested, or where a GPU would go first
  bool is_constant = false;   ///< a value in the program, not a computation
  std::string_view kernel{};  ///< the kernel's outermost op; of `copy`: of the kernel that reads it
  std::uint64_t kernel_id = 0;  ///< equal for the ops of one kernel; 0 where nobody observes
  bool is_outermost = true;     ///< else the op was fused into `kernel`
  device_spec written{};        ///< of a fused op: what it requested itself
  bool moved = false;           ///< fusing runs it on another device than it requested
  std::size_t copies = 0;       ///< of an outermost op: operands that were copied for its kernel
  std::size_t bytes = 0;        ///< in those copies, or in this copy
  device from{};                ///< of copies: where the elements were
  label name{};                 ///< given by named()
  site where{};                 ///< the line of the program; see site::known()
};

/// The op's name in TensorFlow: AddV2 for Add; its own name where TensorFlow has no such op.
template <class Once = void> std::string_view tensorflow_name(op_event const& e);

/// The event as a line of the native log form.
template <class Once = void> std::string to_string(op_event const& e);

/// Receives events, in the order of the log's lines. noexcept is part of its type.
using op_observer = void (*)(op_event const& e, void* context) noexcept;

/// Shows every event from now on to one observer of the process, at every log level and in every
/// scope; nullptr: to none. It replaces the observer before, whose calls have ended on return.
/// Thread: called on the thread that evaluates, before the kernel starts; calls of several threads
/// come one after another. An observer may evaluate and may replace itself; what it does itself
/// makes no events.
/// Cost: without an observer nothing. With one, expressions of tensors leave the fast path. What
/// types place on CPU:0 (static extents and device) makes no events, as it has no log lines.
template <class Once = void> void set_op_observer(op_observer observe, void* context = nullptr);

}  // namespace placement::inline v0_1
