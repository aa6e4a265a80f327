#pragma once
/// What was placed where, as lines of text: pure words, and TensorFlow's node names.

#include <placement/device/device_bodies.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/device/wish_bodies.hpp>
#include <placement/place/label_bodies.hpp>
#include <placement/place/log.hpp>

#include <string>
#include <string_view>

namespace placement::inline v0_1::detail {

constexpr std::string_view local_task = "/job:localhost/replica:0/task:0";

/// "/job:localhost/replica:0/task:0/device:GPU:1"; d is said.
inline std::string full_name(device d) {
  return std::string(local_task) + "/device:" + to_string(d).substr(1);
}
/// "/job:localhost/replica:0/task:0/gpu:1", as TensorFlow 1 printed it.
inline std::string legacy_name(device d) {
  return std::string(local_task) + (d.is_gpu() ? "/gpu:" : "/cpu:") + std::to_string(d.index);
}
/// The wish as the first TensorFlow guides wrote it: "/gpu:2".
inline std::string legacy_wish(wish w) {
  if (w.is_local() && w.local_device().said() && w.local_device().index != any_index)
    return (w.local_device().is_gpu() ? "/gpu:" : "/cpu:") + std::to_string(w.local_device().index);
  return to_string(w);
}
template <class Once> std::string place_text(site s) {
  if (!s.known()) return {};
  return " at " + std::string(s.file) + ':' + std::to_string(s.line);
}
inline std::string typed_name(op_record const& r) {
  return std::string(r.op) + '<' + std::string(r.element) + '>';
}
inline std::string_view tf1_name(op_record const& r) { return r.constant ? "Const" : r.op; }

/// Who asked for what: "asked for /GPU:1: device scope". A scope that names no device, as
/// "/job:localhost", is not why.
inline std::string asked_text(op_record const& r) {
  bool const no_device = r.decision.why == reason::gpu_first || r.decision.why == reason::no_gpu;
  if (r.who == asked_by::nobody || !r.asked.said() || no_device)
    return std::string(to_string(r.decision.why));
  std::string text =
      "asked for " + to_string(r.asked) + ": " + std::string(to_string(reason_of(r.who)));
  if (r.decision.fell_back) text += ", but " + std::string(to_string(r.decision.why));
  return text;
}
inline std::string written_text(op_record const& r) {
  return r.written.said() ? to_string(r.written) : "no scope";
}
/// "available: /CPU:0, /GPU:0 (/GPU:0 is device 1)"
inline std::string available_text() {
  std::string const numbering = device_numbering();
  return "available: " + available_devices() + (numbering.empty() ? "" : " (" + numbering + ')');
}
inline std::string native_line(op_record const& r, bool simulated) {
  std::string text =
      "placement: " + typed_name(r) + ' ' + r.shape + " on " + to_string(r.decision.device);
  if (simulated && r.decision.device.is_gpu()) text += " (simulated)";
  if (r.name != label::none) text += " '" + std::string(to_string(r.name)) + '\'';
  text += " (" + asked_text(r) + ')';
  if (r.moved)
    text += ", written in " + written_text(r) + ", fused into " + std::string(r.fused_in) + " on " +
            to_string(r.decision.device);
  else if (!r.fused_in.empty()) text += ", fused into " + std::string(r.fused_in);
  if (r.copies != 0)
    text += ", copied " + std::to_string(r.copies) +
            (r.copies == 1 ? " operand, " : " operands, ") + std::to_string(r.copied_bytes) + " B";
  return text + place_text(r.where);
}

}  // namespace placement::inline v0_1::detail
