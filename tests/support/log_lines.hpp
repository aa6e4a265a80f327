#pragma once
/// Captures placement log lines and exception messages in tests.

#include <placement/error.hpp>
#include <placement/place/log.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Captures the log lines during its lifetime. The first line of a process with simulated GPUs,
/// which announces them, is kept apart.
class log_lines {
 public:
  log_lines() { placement::set_log_sink(&log_lines::take, this); }
  ~log_lines() { placement::set_log_sink(nullptr); }
  log_lines(log_lines const&) = delete;
  log_lines& operator=(log_lines const&) = delete;

  /// The lines since the previous call.
  std::vector<std::string> take_all() { return std::exchange(lines_, {}); }
  std::string const& simulated_line() const { return simulated_; }

 private:
  static void take(std::string_view line, void* self) {
    auto& lines = *static_cast<log_lines*>(self);
    if (line.find(" simulated GPU") != line.npos &&
        line.find(" on the CPU, in memory of ") != line.npos)
      lines.simulated_ = line;
    else lines.lines_.emplace_back(line);
  }

  std::vector<std::string> lines_;
  std::string simulated_;
};

/// A short name for a list of log lines.
using lines_of = std::vector<std::string>;

/// The message of the exception E that a call throws. Empty if the call throws nothing.
template <class E = placement::error, class Call> std::string error_message(Call call) {
  try {
    call();
  } catch (E const& e) { return e.what(); }
  return {};
}

/// The message of a shape_error without its location, " In MatMul at x.cpp:12." or, for an empty
/// op, " At x.cpp:12.". Prefixed with "elsewhere: " if the location names another op or a distant
/// line.
template <class Call>
std::string error_of(std::string_view op, Call call,
                     placement::site test = placement::site::here()) {
  std::string const text = error_message<placement::shape_error>(call);
  std::string const before =
      (op.empty() ? " At " : " In " + std::string(op) + " at ") + test.file + ':';
  std::size_t const at = text.rfind(before);
  if (at == text.npos || !text.ends_with('.')) return "elsewhere: " + text;
  unsigned long const line = std::stoul(text.substr(at + before.size()));
  bool const is_near = line + 5 >= test.line && line <= test.line + 5;
  return is_near ? text.substr(0, at) : "elsewhere: " + text;
}
