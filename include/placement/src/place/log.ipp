#pragma once
/// Definitions of log.hpp. Each line goes to one sink, under the log's lock.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/log.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/query.ipp>
#include <placement/src/place/op_event.ipp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

struct log_state {
  lock guard;
  log_sink sink = nullptr;
  void* context = nullptr;
  bool simulated_logged = false;
  bool mapping_logged = false;
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
  if (!log.simulated_logged && m.gpus > 0 && !m.real) {
    log.simulated_logged = true;
    write_raw(log,
              "placement: " + std::to_string(m.gpus) +
                  (m.gpus == 1
                       ? " simulated GPU: its kernels run on the CPU, in memory of its own"
                       : " simulated GPUs: their kernels run on the CPU, in memory of their own"));
  }
  if (int const task = task_of_process.peek(); task >= 0) [[unlikely]]
    return write_raw(log, "[task " + std::to_string(task) + "] " + std::string(line));
  write_raw(log, line);
}

/// Whether unique_name() generated this name from another base name.
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
/// TensorFlow 1's node name: the scopes and the label or op, made unique by _1, _2, ...
inline std::string unique_name(log_state& log, op_event const& e) {
  std::string base = node_name(e, graph_name(e));
  auto* used = found_name(log, base);
  if (used == nullptr) {
    bool const free = !was_made(log, base);
    log.names.push_back({base, 1});
    used = &log.names.back();
    if (free) return base;
  }
  std::string name;
  do name = base + '_' + std::to_string(used->next++);
  while (found_name(log, name) != nullptr);
  return name;
}

PLACEMENT_INLINE void log_notice(std::string const& line) {
  if (settings_here().level() < log_level::fallback) return;
  auto& log = the_log();
  lock_guard const guard(log.guard);
  write_line(log, line);
}

// ---- events

/// TensorFlow 1 lists the devices before its first op.
inline void write_mapping_once(log_state& log, log_format form) {
  if (log.mapping_logged) return;
  log.mapping_logged = true;
  for (std::string const& line : device_mapping_lines(form == log_format::tf1))
    write_line(log, line);
}
/// Prints an op in one of TensorFlow's forms.
inline void write_tensorflow_line(log_state& log, op_event const& e, log_format form) {
  if (form == log_format::tf2) {
    if (!is_silent_constant(e)) write_line(log, tf2_line(e));
    return;
  }
  write_mapping_once(log, form);
  write_line(log, tf1_line(e, unique_name(log, e), form));
}

PLACEMENT_INLINE void log_op(op_event const& e) {
  notify(e);
  settings_word const how = settings_here();
  if (how.level() != log_level::all) return;
  auto& log = the_log();
  lock_guard const guard(log.guard);
  if (how.format() == log_format::native) write_line(log, native_line(e));
  else write_tensorflow_line(log, e, how.format());
}

PLACEMENT_INLINE void log_fallback(op_event const& e) {
  notify(e);
  bool const say = settings_here().level() >= log_level::fallback;
  std::string const requested =
      e.requested_by == request_source::nobody ? std::string() : to_string(e.requested);
  std::string const op = typed_name(e);
  auto& log = the_log();
  lock_guard const guard(log.guard);
  for (fallback& f : log.fallbacks) {
    if (f.where == e.where && f.why == e.why && f.ran == e.actual && f.op == op &&
        f.requested == requested) {
      ++f.times;
      return;
    }
  }
  log.fallbacks.push_back({op, requested, e.actual, e.why, e.where, 1});
  if (say) write_line(log, native_line(e));
}

PLACEMENT_INLINE void log_copy(op_event const& e, transfers policy) {
  notify(e);
  settings_word const how = settings_here();
  bool const warns = policy == transfers::warn;
  if (!warns && how.level() < log_level::copies) return;
  if (!warns && how.level() == log_level::all && how.format() != log_format::native)
    return;  // TensorFlow's lines only
  auto& log = the_log();
  lock_guard const guard(log.guard);
  write_line(log, copy_line(e, warns ? "placement: warning: " : "placement: "));
}

PLACEMENT_INLINE void log_copy_to(op_event const& e) {
  notify(e);
  settings_word const how = settings_here();
  if (how.level() < log_level::copies) return;
  auto& log = the_log();
  lock_guard const guard(log.guard);
  if (how.level() == log_level::all && how.format() != log_format::native)
    write_tensorflow_line(log, e, how.format());
  else if (e.bytes != 0) write_line(log, native_line(e));
}

PLACEMENT_INLINE void log_variable(std::string_view name, device where, site at) {
  settings_word const how = settings_here();
  if (how.level() != log_level::all || how.format() == log_format::native) return;
  op_event e{.actual = where, .where = at};
  auto const named = [&](std::string_view op) -> op_event const& {
    e.op = op;
    return e;
  };
  auto& log = the_log();
  lock_guard const guard(log.guard);
  if (how.format() == log_format::tf2) {
    write_line(log, tf2_line(named("VarHandleOp")));
    write_line(log, tf2_line(named("AssignVariableOp")));
    return;
  }
  e.name = label_of(name);
  write_mapping_once(log, how.format());
  std::string const node = unique_name(log, e);
  write_line(log, tf1_line(named("VariableV2"), node, how.format()));
  // The node of the name above is new, and so are these.
  write_line(log, tf1_line(named("Assign"), node + "/Assign", how.format()));
  write_line(log, tf1_line(named("Identity"), node + "/read", how.format()));
}
PLACEMENT_INLINE void log_variable_read(device where, site at) {
  settings_word const how = settings_here();
  if (how.level() != log_level::all || how.format() != log_format::tf2) return;
  auto& log = the_log();
  lock_guard const guard(log.guard);
  write_line(log, tf2_line({.op = "ReadVariableOp", .actual = where, .where = at}));
}

/// ", requested by the device rule at train.cpp:7".
inline std::string rule_text(op_event const& e) {
  if (e.requested_by != request_source::rule) return {};
  return ", requested by the device rule" + place_text(e.rule);
}

/// The remedy for a kernel that may not run. The rule comes from the settings in force, or from the
/// policy of the scope that the kernel is pinned to.
inline std::string_view remedy(settings_word how) {
  if (!settings_here().soft()) return "Allow soft placement";
  return how.soft() ? "Leave no_fallback out" : "Leave strict out";
}
[[noreturn]] PLACEMENT_INLINE void throw_placement_error(op_event const& e, settings_word how) {
  log_format const format = settings_here().format();
  bool const no_task = e.why == reason::no_such_task;
  std::string text = "Cannot assign a device to node '" + node_name(e, e.op) +
                     "': Could not satisfy explicit device specification '" +
                     legacy_spec(e.requested) + "' for " + shaped_name(e) + ": ";
  if (no_task)
    text += missing_task_text(e.requested) + place_text(e.where) +
            ". Leave job, replica and task out, or name those of this program.";
  else
    text += std::string(to_string(e.why)) + place_text(e.where) + rule_text(e) + "; " +
            available_text() + ". " + std::string(remedy(how)) +
            (settings_here().soft() ? " to let it run elsewhere." : " to run it elsewhere.");
  if ((no_task || e.why == reason::no_such_device) && format == log_format::tf2)
    text +=
        " " +
        (e.requested.is_local() ? full_name(e.requested.local_device()) : to_string(e.requested)) +
        " unknown device";
  throw placement_error(text);
}

[[noreturn]] PLACEMENT_INLINE void throw_moved_op(op_event const& e) {
  throw placement_error("placement: " + scoped_name(e) + " was written in " + written_text(e) +
                        " and would be fused into " + std::string(e.kernel) + " on " +
                        to_string(e.actual) + place_text(e.where) +
                        ". Evaluate it first, pin it with on(), or allow soft placement.");
}

}  // namespace detail

PLACEMENT_INLINE void set_log_sink(log_sink sink, void* context) {
  auto& log = detail::the_log();
  lock_guard const guard(log.guard);
  log.sink = sink;
  log.context = context;
}

PLACEMENT_INLINE std::vector<fallback> fallbacks() try {
  auto& log = detail::the_log();
  lock_guard const guard(log.guard);
  return log.fallbacks;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::size_t fallback_count() {
  std::size_t n = 0;
  for (fallback const& f : fallbacks()) n += f.times;
  return n;
}

}}  // namespace placement::v0_1
