#pragma once
/// The text of a trace in Chrome's trace event format. Source: "Trace Event Format", the document
/// of the Chromium project: complete events ("ph":"X"), metadata ("ph":"M"), microseconds.

#include <placement/config.hpp>
#include <placement/device/name.hpp>
#include <placement/interop/replacement_file.hpp>
#include <placement/place/trace_json.hpp>
#include <placement/src/device/trace_events.ipp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- lanes

/// An event of a device, and the thread that recorded it.
struct device_event {
  device lane;
  unsigned thread;
  trace_event const* e;
};
/// Events of one device that do not overlap, or lie in each other and are of one thread. So a
/// device has several lanes if the threads of a program use it at once.
class device_lanes {
 public:
  /// The number of the lane, from 0, for the next event by begin.
  std::size_t lane_of(device_event const& next) {
    for (std::size_t i = 0; i != lanes_.size(); ++i)
      if (fits(lanes_[i], next)) return i;
    lanes_.emplace_back().push_back(next);
    return lanes_.size() - 1;
  }

 private:
  static bool fits(std::vector<device_event>& open, device_event const& next) {
    while (!open.empty() && open.back().e->end <= next.e->begin) open.pop_back();
    if (!open.empty() && (open.back().e->end < next.e->end || open.back().thread != next.thread))
      return false;
    open.push_back(next);
    return true;
  }

  std::vector<std::vector<device_event>> lanes_;
};

inline bool is_of_device(trace_note const& n) noexcept {
  return n.kind != trace_kind::call && n.kind != trace_kind::wait;
}
/// The device whose lane has the event: a copy to the host is in that of its GPU.
inline device lane_of(trace_note const& n) noexcept {
  device const to = n.where.local_device();
  return n.kind == trace_kind::copy && to.is_cpu() ? n.from.local_device() : to;
}

// ---- events

inline void add_member(std::string& to, std::string_view name, std::string const& value) {
  to += (to.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
}
inline std::string json_list_of_ops(trace_note const& n) {
  std::string out = "[";
  std::size_t const shown = std::min<std::size_t>(n.ops, trace_note::max_ops);
  for (std::size_t i = 0; i != shown; ++i) out += (i == 0 ? "" : ", ") + json_string(n.op[i]);
  if (n.ops > shown) out += ", \"and " + std::to_string(n.ops - shown) + " more\"";
  return out + ']';
}
inline std::string json_extents(trace_note const& n) {
  std::string out = "[";
  for (std::size_t d = 0; d != n.rank; ++d)
    out += (d == 0 ? "" : ", ") + std::to_string(n.extent[d]);
  return out + ']';
}
/// What Perfetto shows beside an event. Unknown values are left out.
inline std::string json_arguments(trace_event const& e) {
  trace_note const& n = *e.note;
  std::string out;
  auto const text = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) add_member(out, name, json_string(value));
  };
  auto const number = [&](std::string_view name, std::size_t value) {
    if (value != 0) add_member(out, name, std::to_string(value));
  };
  if (n.where.has_value()) text("device", to_string(n.where));
  if (n.from.has_value()) text("from", to_string(n.from));
  if (n.requested.has_value()) text("requested", to_string(n.requested));
  text("why", n.why);
  if (n.fell_back) add_member(out, "fell_back", "true");
  if (n.is_launch) add_member(out, "is_launch", "true");
  if (e.failed) add_member(out, "failed", "true");
  if (n.is_constant) add_member(out, "constant", "true");
  text("type", n.element);
  if (n.has_shape) add_member(out, "shape", json_extents(n));
  if (n.ops > 1) add_member(out, "ops", json_list_of_ops(n));
  number("bytes", n.bytes);
  number("copied_bytes", n.copied_bytes);
  text("reader", n.reader);
  text("label", n.label);
  text("scope", n.scope);
  number("kernel", e.kernel_id);
  if (n.file != nullptr) text("site", std::string(n.file) + ':' + std::to_string(n.line));
  return out;
}
inline std::string_view category_of(trace_note const& n) noexcept {
  constexpr std::string_view words[] = {"op", "copy", "wait", "call", "wait"};
  return words[static_cast<int>(n.kind)];
}

/// Writes the lines of a trace. Throws: file_error.
class trace_writer {
 public:
  static constexpr int devices = 1, threads = 2;  ///< the groups of lanes

  trace_writer(replacement_file& to, std::int64_t begin) : to_(to), begin_(begin) {
    text_ = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
    name("process_name", devices, 0, "Devices");
    name("process_name", threads, 0, "Threads");
  }

  void name(std::string_view what, int group, std::size_t lane, std::string const& of) {
    line(R"({"name": ")" + std::string(what) + R"(", "ph": "M", )" + lane_text(group, lane) +
         R"(, "args": {"name": )" + json_string(of) + "}}");
    if (what == "thread_name")
      line(R"({"name": "thread_sort_index", "ph": "M", )" + lane_text(group, lane) +
           R"(, "args": {"sort_index": )" + std::to_string(lane) + "}}");
  }
  void event(trace_event const& e, int group, std::size_t lane) {
    trace_note const& n = *e.note;
    line(R"({"name": )" + json_string(n.name) + R"(, "cat": ")" + std::string(category_of(n)) +
         R"(", "ph": "X", )" + lane_text(group, lane) + R"(, "ts": )" +
         json_time(e.begin - begin_) + R"(, "dur": )" + json_time(e.end - e.begin) +
         R"(, "args": {)" + json_arguments(e) + "}}");
  }
  void end(std::size_t dropped) {
    text_ += "\n], \"otherData\": {\"program\": \"placement\", \"dropped_events\": " +
             std::to_string(dropped) + "}}\n";
    to_.write(std::exchange(text_, {}));
  }

 private:
  static std::string lane_text(int group, std::size_t lane) {
    return "\"pid\": " + std::to_string(group) + ", \"tid\": " + std::to_string(lane);
  }
  void line(std::string const& text) {
    if (!is_first_) text_ += ",\n";
    is_first_ = false;
    text_ += text;
    if (text_.size() > std::size_t{1} << 16) to_.write(std::exchange(text_, {}));
  }

  replacement_file& to_;
  std::int64_t begin_;
  std::string text_;
  bool is_first_ = true;
};

/// Writes the lanes of the devices: 100 numbers for each, so that its further lanes follow it.
inline void write_devices(trace_writer& to, std::vector<device_event>& all) {
  std::sort(all.begin(), all.end(), [](device_event const& a, device_event const& b) {
    auto const key = [](device const& d) { return std::pair(d.is_gpu(), d.index); };
    if (!(a.lane == b.lane)) return key(a.lane) < key(b.lane);
    return a.e->begin != b.e->begin ? a.e->begin < b.e->begin : a.e->end > b.e->end;
  });
  device_lanes lanes;
  std::size_t number = 0, named = 0;
  for (std::size_t i = 0; i != all.size(); ++i) {
    if (i == 0 || !(all[i].lane == all[i - 1].lane)) {
      lanes = {};
      number += 100;
      named = 0;
    }
    std::size_t const lane = std::min<std::size_t>(lanes.lane_of(all[i]), 99);
    for (; named <= lane; ++named)
      to.name("thread_name", trace_writer::devices, number + named,
              to_string(all[i].lane) + (named == 0 ? "" : " (" + std::to_string(named + 1) + ")"));
    to.event(*all[i].e, trace_writer::devices, number + lane);
  }
}

/// Writes all recorded events. `begin`: of the trace; earlier events are left out.
/// Throws: file_error, std::bad_alloc.
inline void write_trace(replacement_file& file, std::int64_t begin) {
  trace_writer to(file, begin);
  std::vector<device_event> of_devices;
  lock_guard const guard(all_events.guard);
  for (thread_events* t = all_events.threads; t != nullptr; t = t->next) {
    bool is_named = false;
    for (trace_block* b = t->first; b != nullptr; b = b->next)
      for (std::size_t i = 0; i != b->used; ++i) {
        trace_event const& e = b->event[i];
        if (e.begin < begin) continue;
        if (is_of_device(*e.note)) {
          of_devices.push_back({lane_of(*e.note), t->number, &e});
          continue;
        }
        if (!is_named)
          to.name("thread_name", trace_writer::threads, t->number,
                  t->is_main ? "main thread" : "thread " + std::to_string(t->number));
        is_named = true;
        to.event(e, trace_writer::threads, t->number);
      }
  }
  write_devices(to, of_devices);
  to.end(all_events.dropped.load());
}

}}}  // namespace placement::v0_1::detail
