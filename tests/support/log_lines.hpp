#pragma once
/// What the placement log says while a test runs, and what a call refuses with.

#include <placement/error.hpp>
#include <placement/place/log.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Catches the log's lines while it lives. The first line of a process with simulated GPUs, which
/// says that there are some, is kept apart.
class log_lines {
 public:
  log_lines() { placement::set_log_sink(&log_lines::take, this); }
  ~log_lines() { placement::set_log_sink(nullptr); }
  log_lines(log_lines const&) = delete;
  log_lines& operator=(log_lines const&) = delete;

  /// The lines since the last call of this.
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

/// A list of texts, in one word for tests.
using lines_of = std::vector<std::string>;

/// The message of the exception E that a call throws; "" if it throws nothing.
template <class E = placement::error, class Call> std::string refusal(Call call) {
  try {
    call();
  } catch (E const& e) { return e.what(); }
  return {};
}
