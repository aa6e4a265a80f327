#pragma once
/// What was placed where, in words: three formats, one sink, and the count of fallbacks.
///
/// Everything here is cold: records are passed by value, so that no expression's address escapes
/// into the log.

#include <placement/device/query.hpp>
#include <placement/place/label.hpp>
#include <placement/place/scope.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace placement::inline v0_1 {

/// Receives each finished line, without its end. Called under a lock: it must not log itself.
using log_sink = void (*)(std::string_view line, void* context);

/// One distinct fallback: the same op, types, devices and reason at the same line of the program.
struct fallback {
  std::string op;     ///< "NextAfter<float>"
  std::string asked;  ///< "/GPU:1"; empty when nobody asked
  device ran{};
  reason why{};
  site where{};
  std::size_t times = 0;
};

namespace detail {

/// What is known of one op when its kernel is about to run.
struct op_record {
  std::string_view op;       ///< "MatMul"
  std::string_view element;  ///< "float"
  std::string shape;         ///< of the result: "[2, 2]"
  placement::decision decision{};
  wish asked{};  ///< by the kernel's outermost op
  asked_by who{};
  site where{};
  label name{};
  bool constant = false;        ///< a value in the program, not a computation
  wish written{};               ///< under which this op itself was written, where that differs
  bool moved = false;           ///< it was written for another device than its kernel's
  std::string_view fused_in{};  ///< the kernel's outermost op, when this op is another
  std::size_t copies = 0;  ///< operands that were copied for this kernel (said by its outermost op)
  std::size_t copied_bytes = 0;
};

struct log_state {
  lock guard;
  log_sink sink = nullptr;
  void* context = nullptr;
  bool said_simulated = false;
  bool said_mapping = false;
  std::vector<fallback> fallbacks;
  struct used_name {
    std::string name;
    std::size_t next;
  };
  std::vector<used_name> names;
};
PLACEMENT_PROCESS_STATE inline log_state& the_log() {
  static log_state& all = *new log_state;
  return all;
}

// ---- words, pure

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
inline std::string place_text(site s) {
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

// ---- the sink, under the log's lock

inline void write_raw(log_state& log, std::string_view line) {
  if (log.sink != nullptr) {
    log.sink(line, log.context);
    return;
  }
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}
inline void write_line(log_state& log, std::string_view line) {
  machine const m = this_machine();
  if (!log.said_simulated && m.gpus > 0 && !m.real) {
    log.said_simulated = true;
    write_raw(log,
              "placement: " + std::to_string(m.gpus) +
                  (m.gpus == 1
                       ? " simulated GPU: its kernels run on the CPU, in memory of its own"
                       : " simulated GPUs: their kernels run on the CPU, in memory of their own"));
  }
  write_raw(log, line);
}

/// Was this name given to a node as another's, made unique?
inline bool was_made(log_state const& log, std::string_view name) {
  for (auto const& used : log.names) {
    if (!name.starts_with(used.name + '_')) continue;
    for (std::size_t n = 1; n != used.next; ++n)
      if (name == used.name + '_' + std::to_string(n)) return true;
  }
  return false;
}
inline log_state::used_name* found_name(log_state& log, std::string_view name) {
  for (auto& used : log.names)
    if (used.name == name) return &used;
  return nullptr;
}
/// TensorFlow 1's node name: the label or op, made unique by _1, _2, ...
inline std::string unique_name(log_state& log, op_record const& r) {
  std::string base(r.name != label::none ? to_string(r.name) : tf1_name(r));
  if (found_name(log, base) == nullptr) {
    bool const free = !was_made(log, base);
    log.names.push_back({base, 1});
    if (free) return base;
  }
  std::string name;
  do name = base + '_' + std::to_string(found_name(log, base)->next++);
  while (found_name(log, name) != nullptr);
  return name;
}

// ---- events

/// One op of a kernel that is about to run, at level `all`.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_op(op_record r) {
  log_format const format = settings_here().format();
  bool const simulated = !this_machine().real;
  auto& log = the_log();
  lock_guard const hold(log.guard);
  device const d = r.decision.device;
  if (format == log_format::native) {
    write_line(log, native_line(r, simulated));
  } else if (format == log_format::tf2) {
    if (r.constant && d.is_cpu()) return;
    write_line(log, "Executing op " + std::string(r.constant ? "_EagerConst" : r.op) +
                        " in device " + full_name(d));
  } else {
    if (!log.said_mapping) {
      log.said_mapping = true;
      for (std::string const& line : device_mapping_lines(format == log_format::tf1))
        write_line(log, line);
    }
    std::string const name = unique_name(log, r);
    if (format == log_format::tf1) write_line(log, name + ": " + legacy_name(d));
    else write_line(log, name + ": (" + std::string(tf1_name(r)) + "): " + full_name(d));
  }
}

/// A kernel that does not run where it was asked to. Said once per distinct fallback and line,
/// counted each time.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_fallback(op_record r) {
  bool const say = settings_here().level() >= log_level::fallback;
  std::string const asked = r.who == asked_by::nobody ? std::string() : to_string(r.asked);
  std::string const op = typed_name(r);
  auto& log = the_log();
  lock_guard const hold(log.guard);
  for (fallback& f : log.fallbacks) {
    if (f.where == r.where && f.why == r.decision.why && f.ran == r.decision.device && f.op == op &&
        f.asked == asked) {
      ++f.times;
      return;
    }
  }
  log.fallbacks.push_back({op, asked, r.decision.device, r.decision.why, r.where, 1});
  if (!say) return;
  write_line(log, "placement: fallback: " + op + ' ' + r.shape +
                      (asked.empty() ? std::string(" would go to a GPU") : " asked for " + asked) +
                      ", runs on " + to_string(r.decision.device) + ": " +
                      std::string(to_string(r.decision.why)) +
                      (r.decision.why == reason::no_such_device ? "; " + available_text()
                                                                : std::string()) +
                      place_text(r.where));
}

/// An operand that is copied for a kernel.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void log_copy(std::string_view op, device from, device to,
                                           std::size_t bytes, site where, bool warning) {
  settings_word const how = settings_here();
  if (!warning && how.level() == log_level::all && how.format() != log_format::native)
    return;  // TensorFlow's lines only
  auto& log = the_log();
  lock_guard const hold(log.guard);
  write_line(log, std::string(warning ? "placement: warning: copy of " : "placement: copy of ") +
                      std::to_string(bytes) + " B from " + to_string(from) + " to " +
                      to_string(to) + (op.empty() ? std::string() : " for " + std::string(op)) +
                      place_text(where));
}

/// What to do about a refused kernel: what refuses it are the settings in force, or what the scope
/// promises that it is pinned to.
inline std::string_view remedy(settings_word how) {
  if (!settings_here().soft()) return "Allow soft placement";
  return how.soft() ? "Leave no_fallback out" : "Leave strict out";
}
/// Throws the error of a kernel that `how` refuses, in the words of the log format in force.
template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(op_record r, settings_word how) {
  log_format const format = settings_here().format();
  std::string node(r.name != label::none ? to_string(r.name) : tf1_name(r));
  std::string text =
      "Cannot assign a device to node '" + node +
      "': Could not satisfy explicit device specification '" + legacy_wish(r.asked) + "' for " +
      typed_name(r) + ' ' + r.shape + ": " + std::string(to_string(r.decision.why)) +
      place_text(r.where) + "; " + available_text() + ". " + std::string(remedy(how)) +
      (settings_here().soft() ? " to let it run elsewhere." : " to run it elsewhere.");
  if (r.decision.why == reason::no_such_device && format == log_format::tf2)
    text += " " + (r.asked.is_local() ? full_name(r.asked.local_device()) : to_string(r.asked)) +
            " unknown device";
  throw placement_error(text);
}

/// Throws the error of an op that fusing would move, under hard placement.
template <class Once = void> [[noreturn, gnu::cold, gnu::noinline]] void refuse_move(op_record r) {
  throw placement_error("placement: " + typed_name(r) + ' ' + r.shape + " was written in " +
                        written_text(r) + " and would be fused into " + std::string(r.fused_in) +
                        " on " + to_string(r.decision.device) + place_text(r.where) +
                        ". Evaluate it first, pin it with on(), or allow soft placement.");
}

}  // namespace detail

/// Where log lines go; nullptr: standard error.
inline void set_log_sink(log_sink sink, void* context = nullptr) {
  auto& log = detail::the_log();
  lock_guard const hold(log.guard);
  log.sink = sink;
  log.context = context;
}

/// Every distinct fallback so far, with its count.
inline std::vector<fallback> fallbacks() {
  auto& log = detail::the_log();
  lock_guard const hold(log.guard);
  return log.fallbacks;
}

/// How many kernels fell back so far.
inline std::size_t fallback_count() {
  std::size_t n = 0;
  for (fallback const& f : fallbacks()) n += f.times;
  return n;
}

}  // namespace placement::inline v0_1
