#pragma once
/// The lines of the placement log: pure functions from events to text, and TensorFlow's node names.

#include <placement/place/log.hpp>
#include <placement/place/tensorflow_names.hpp>
#include <placement/src/device/device.ipp>
#include <placement/src/device/device_spec.ipp>
#include <placement/src/device/registry.ipp>
#include <placement/src/place/label.ipp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

constexpr std::string_view local_task = "/job:localhost/replica:0/task:0";

/// `job`, replica and task of a device.
inline std::string replica_name(device d) {
  if (d.task < 0) return std::string(local_task);
  device_name name = name_of_task_here(d.task);
  name.replica = 0;
  return to_string(name);
}
/// Example: "/job:localhost/replica:0/task:0/device:GPU:1". d must have a value.
inline std::string full_name(device d) {
  return replica_name(d) + "/device:" + to_string(d.local()).substr(1);
}
/// "/job:localhost/replica:0/task:0/gpu:1", as TensorFlow 1 printed it.
inline std::string legacy_name(device d) {
  return replica_name(d) + (d.type == kind::gpu ? "/gpu:" : "/cpu:") + std::to_string(d.index);
}
/// The requested device in the form of TensorFlow 1's guides: "/gpu:2".
inline std::string legacy_spec(device_spec w) {
  if (w.is_local() && w.local_device().has_value() && w.local_device().index != any_index)
    return (w.local_device().is_gpu() ? "/gpu:" : "/cpu:") + std::to_string(w.local_device().index);
  return to_string(w);
}
PLACEMENT_INLINE std::string place_text(site s) {
  if (!s.known()) return {};
  return " at " + std::string(s.file) + ':' + std::to_string(s.line);
}
/// Example: "MatMul<float>".
inline std::string typed_name(op_event const& e) {
  return std::string(e.op) + '<' + std::string(e.element) + '>';
}
inline std::string shape_text(op_event const& e) {
  std::string text = "[";
  for (std::ptrdiff_t const n : e.shape) {
    if (text.size() != 1) text += ", ";
    text += std::to_string(n);
  }
  return text + ']';
}
inline std::string shaped_name(op_event const& e) { return typed_name(e) + ' ' + shape_text(e); }

/// The name of an event's node: "tower_0/" and the label or op, as for TensorFlow's nodes.
inline std::string node_name(op_event const& e, std::string_view op) {
  std::string name(e.scope);
  if (!name.empty()) name += '/';
  return name.append(e.name != label::none ? to_string(e.name) : op);
}
/// Example: "tower_0/MatMul<float> [2, 2]". An op with a label has the scope in its label's text.
inline std::string scoped_name(op_event const& e) {
  if (e.scope.empty() || e.name != label::none) return shaped_name(e);
  return std::string(e.scope) + '/' + shaped_name(e);
}

/// The request and its source: "asked for /GPU:1: device scope". A scope without a device, such as
/// "/job:localhost", is not a reason.
inline std::string requested_text(op_event const& e) {
  bool const no_device = e.why == reason::gpu_first || e.why == reason::no_gpu;
  if (e.requested_by == request_source::nobody || !e.requested.has_value() || no_device)
    return std::string(to_string(e.why));
  std::string text = "asked for " + to_string(e.requested) + ": " +
                     std::string(to_string(reason_of(e.requested_by)));
  if (e.requested_by == request_source::rule) text += place_text(e.rule);
  if (e.fell_back) text += ", but " + std::string(to_string(e.why));
  return text;
}
inline std::string written_text(op_event const& e) {
  return e.written.has_value() ? to_string(e.written) : "no scope";
}
/// Example: "available: /CPU:0, /GPU:0 (/GPU:0 is device 1)".
inline std::string available_text() {
  std::string const numbering = device_numbering();
  return "available: " + available_devices() + (numbering.empty() ? "" : " (" + numbering + ')');
}

// ---- the native form

inline std::string op_line(op_event const& e, bool simulated) {
  std::string text = "placement: " + scoped_name(e) + " on " + to_string(e.actual);
  if (simulated && e.actual.is_gpu()) text += " (simulated)";
  if (e.name != label::none) text += " '" + node_name(e, e.op) + '\'';
  text += " (" + requested_text(e) + ')';
  if (e.moved)
    text += ", written in " + written_text(e) + ", fused into " + std::string(e.kernel) + " on " +
            to_string(e.actual);
  else if (!e.is_outermost) text += ", fused into " + std::string(e.kernel);
  if (e.copies != 0)
    text += ", copied " + std::to_string(e.copies) +
            (e.copies == 1 ? " operand, " : " operands, ") + std::to_string(e.bytes) + " B";
  if (std::string_view const source = to_string(e.source); e.is_outermost && !source.empty())
    text.append(", ").append(source);
  return text + place_text(e.where);
}
inline std::string fallback_line(op_event const& e) {
  bool const was_requested = e.requested_by != request_source::nobody;
  return "placement: fallback: " + scoped_name(e) +
         (was_requested ? " asked for " + to_string(e.requested) : " would go to a GPU") +
         ", runs on " + to_string(e.actual) + ": " + std::string(to_string(e.why)) +
         (e.why == reason::no_such_device ? "; " + available_text() : std::string()) +
         place_text(e.where);
}
/// The op that reads a copy: "tower_0/Add".
inline std::string reader_name(op_event const& e) {
  return e.scope.empty() ? std::string(e.kernel)
                         : std::string(e.scope) + '/' + std::string(e.kernel);
}
inline std::string copy_line(op_event const& e, std::string_view before) {
  return std::string(before) + "copy of " + std::to_string(e.bytes) + " B from " +
         to_string(e.from) + " to " + to_string(e.actual) +
         (e.kernel.empty() ? std::string() : " for " + reader_name(e)) + place_text(e.where);
}
inline std::string native_line(op_event const& e) {
  switch (e.kind) {
    case op_event_kind::op: return op_line(e, !this_machine().real);
    case op_event_kind::fallback: return fallback_line(e);
    case op_event_kind::copy:
    case op_event_kind::copy_to: break;
  }
  return copy_line(e, "placement: ");
}

// ---- TensorFlow's forms

/// Whether TensorFlow 2 makes this constant without an op, as it does where the scope names CPU:0.
inline bool is_silent_constant(op_event const& e) {
  return e.is_constant && e.actual == cpu0 && e.why == reason_of(e.requested_by);
}
inline std::string tf2_line(op_event const& e) {
  return "Executing op " + std::string(e.is_constant ? "_EagerConst" : tensorflow_name(e)) +
         " in device " + full_name(e.actual);
}
/// The op in a graph of TensorFlow 1: its updates of variables are ApplyAdam, ApplyMomentum.
inline std::string_view graph_name(op_event const& e) {
  std::string_view const name = tensorflow_name(e);
  constexpr std::string_view prefix = "Resource";
  return name.starts_with("ResourceApply") ? name.substr(prefix.size()) : name;
}
inline std::string tf1_line(op_event const& e, std::string const& node, log_format form) {
  if (form == log_format::tf1) return node + ": " + legacy_name(e.actual);
  return node + ": (" + std::string(graph_name(e)) + "): " + full_name(e.actual);
}

}}}  // namespace placement::v0_1::detail
