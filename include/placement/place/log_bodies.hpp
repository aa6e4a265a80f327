#pragma once
/// Bodies: the log. Each line goes to one sink, under the log's lock.

#include <placement/config.hpp>
#include <placement/device/lock.hpp>
#include <placement/device/query_bodies.hpp>
#include <placement/error.hpp>
#include <placement/place/log.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/settings_bodies.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace placement::inline v0_1 {

namespace detail {

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

template <class Once> void log_op(op_record r) {
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

template <class Once> void log_fallback(op_record r) {
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

template <class Once>
void log_copy(std::string_view op, device from, device to, std::size_t bytes, site where,
              bool warning) {
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
template <class Once> [[noreturn]] void refuse(op_record r, settings_word how) {
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

template <class Once> [[noreturn]] void refuse_move(op_record r) {
  throw placement_error("placement: " + typed_name(r) + ' ' + r.shape + " was written in " +
                        written_text(r) + " and would be fused into " + std::string(r.fused_in) +
                        " on " + to_string(r.decision.device) + place_text(r.where) +
                        ". Evaluate it first, pin it with on(), or allow soft placement.");
}

}  // namespace detail

template <class Once> void set_log_sink(log_sink sink, void* context) {
  auto& log = detail::the_log();
  lock_guard const hold(log.guard);
  log.sink = sink;
  log.context = context;
}

template <class Once> std::vector<fallback> fallbacks() try {
  auto& log = detail::the_log();
  lock_guard const hold(log.guard);
  return log.fallbacks;
} catch (...) { detail::rethrow_as_error(); }

template <class Once> std::size_t fallback_count() {
  std::size_t n = 0;
  for (fallback const& f : fallbacks()) n += f.times;
  return n;
}

}  // namespace placement::inline v0_1
