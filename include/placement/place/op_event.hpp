#pragma once
/// Placement as typed events: which op ran on which device, and why. The log's lines are printed
/// from them, and a program may observe them.

#include <placement/device/device_spec.hpp>
#include <placement/place/label.hpp>
#include <placement/place/placer.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The kind of an event.
enum class op_event_kind : unsigned char {
  op,        ///< An op of a kernel that is about to run, after its operands' kernels.
  fallback,  ///< A kernel does not run as requested, or without a request not on GPU:0.
  copy,      ///< Placement copied an operand to its kernel's device, or on() a tensor.
  copy_to,   ///< A call of copy_to(); 0 bytes if the device has the elements.
};

/// One event. Views of text and shape are valid during the observer's call. Names of ops and
/// element types are valid for ever.
struct op_event {
  op_event_kind kind = op_event_kind::op;
  std::string_view op{};       ///< "Add"; for a copy: "Copy".
  std::string_view element{};  ///< "float": the type that selects the kernel; `copy`: empty.
  std::span<std::ptrdiff_t const> shape{};  ///< Of the result; `copy`: empty.
  device_spec requested{};                  ///< By the kernel's outermost op.
  request_source requested_by{};
  site rule{};                  ///< If a rule requested it: the line of the rule's scope.
  device actual{};              ///< The device of the kernel; for copies: the destination.
  reason why{};                 ///< For ops and fallbacks.
  bool fell_back = false;       ///< Not the requested device, or without a request not GPU:0.
  bool is_constant = false;     ///< A value in the program, not a computation.
  std::string_view kernel{};    ///< The kernel's outermost op; `copy`: the op that reads it.
  std::uint64_t kernel_id = 0;  ///< Equal for the ops of one kernel; 0 without an observer.
  kernel_source source{};       ///< For ops and fallbacks: the file with the kernel.
  bool is_outermost = true;     ///< Else the op was fused into `kernel`.
  device_spec written{};        ///< For a fused op: its own request.
  bool moved = false;           ///< Fusion runs the op on another device than it requested.
  std::size_t copies = 0;       ///< For an outermost op: operands copied for its kernel.
  std::size_t bytes = 0;        ///< Of those copies, or of this copy.
  device from{};                ///< For copies: the source.
  label name{};                 ///< Given by named().
  std::string_view scope{};     ///< Of names, around the op: "tower_0/conv"; `copy`: its reader's.
  std::string_view gradient_of{};  ///< For an op of a gradient: the forward op.
  site where{};                    ///< The line of the program; see site::known().
};

/// The op's name in TensorFlow, such as AddV2 for Add; its own name if TensorFlow has no such op.
std::string_view tensorflow_name(op_event const& e);

/// The event as a line of the native log form.
std::string to_string(op_event const& e);

/// Receives events in the order of the log's lines. noexcept is part of the type.
using op_observer = void (*)(op_event const& e, void* context) noexcept;

/// Sets the observer of the process; nullptr: none. The observer gets every event, at every log
/// level and in every scope. It replaces the previous observer, whose calls have ended on return.
/// Thread: called on the evaluating thread, before the kernel starts. Calls from several threads
/// are serialised. An observer may evaluate and may replace itself; its own work makes no events.
/// Cost: none without an observer. With one, expressions of tensors leave the fast path. Placement
/// on CPU:0 by types (static extents and device) makes no events, as it has no log lines.
void set_op_observer(op_observer observe, void* context = nullptr);

}}  // namespace placement::v0_1
