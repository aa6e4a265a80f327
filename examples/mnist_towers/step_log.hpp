#pragma once
/// The kernels of one step, from the placement events: a line for each kernel, in order. Towers
/// that run the same kernel share its line.

#include <placement/gradient.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace mnist {

/// Collects the events of the process during its lifetime.
class step_log {
 public:
  step_log() { placement::set_op_observer(observe, this); }
  ~step_log() { placement::set_op_observer(nullptr); }
  step_log(step_log const&) = delete;
  step_log& operator=(step_log const&) = delete;

  /// "/GPU:0 /GPU:1   MatMul, Add [20, 10]   models.hpp:41   2 copies, 31400 B"
  std::string lines() const {
    std::string text;
    for (row const& r : rows_) {
      char line[256];
      std::snprintf(line, sizeof line, "  %-15s %-28s %-16s %s", r.devices.c_str(),
                    r.kernel.c_str(), r.where.c_str(), r.copied.c_str());
      text += line;
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text;
  }

 private:
  struct row {
    std::string devices, kernel, where, copied;
  };

  static void observe(placement::op_event const& e, void* self) noexcept {
    static_cast<step_log*>(self)->add(e);
  }
  void add(placement::op_event const& e) {
    if (e.kind != placement::op_event_kind::op && e.kind != placement::op_event_kind::copy_to)
      return;
    ops_ += ops_.empty() ? "" : ", ";
    ops_ += e.kind == placement::op_event_kind::op ? e.op : std::string_view("copy_to");
    if (!e.is_outermost) return;
    row const r{to_string(e.actual), ops_ + shape_text(e), line_text(e.where), copied_text(e)};
    ops_.clear();
    for (row& known : rows_) {
      if (known.kernel != r.kernel || known.where != r.where) continue;
      if (known.devices.find(r.devices) == std::string::npos) known.devices += ' ' + r.devices;
      return;
    }
    rows_.push_back(r);
  }

  static std::string shape_text(placement::op_event const& e) {
    std::string text = " [";
    for (std::size_t d = 0; d != e.shape.size(); ++d)
      text += (d == 0 ? "" : ", ") + std::to_string(e.shape[d]);
    return text + ']';
  }
  static std::string line_text(placement::site where) {
    if (!where.known()) return {};
    std::string_view const file = where.file;
    return std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(where.line);
  }
  static std::string copied_text(placement::op_event const& e) {
    if (e.bytes == 0) return {};
    if (e.kind == placement::op_event_kind::copy_to) return std::to_string(e.bytes) + " B";
    return std::to_string(e.copies) + " operands copied, " + std::to_string(e.bytes) + " B";
  }

  std::vector<row> rows_;
  std::string ops_;  ///< ops of the kernel whose events are being received
};

}  // namespace mnist
