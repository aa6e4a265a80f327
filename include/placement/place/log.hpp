#pragma once
/// The placement log: lines in the native form or in a form of TensorFlow, one sink, and the count
/// of fallbacks.
///
/// All functions here are cold. Events hold copies, so that no address of an expression escapes
/// into the log.

#include <placement/error.hpp>
#include <placement/place/op_event.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// Receives each finished line, without a newline. Called under a lock: a sink must not log.
using log_sink = void (*)(std::string_view line, void* context);

/// One distinct fallback: the same op, types, devices and reason at the same line of the program.
struct fallback {
  std::string op;         ///< "NextAfter<float>"
  std::string requested;  ///< "/GPU:1"; empty without a request
  device ran{};
  reason why{};
  site where{};
  std::size_t times = 0;
};

namespace detail {

/// Prints a warning about the environment. Printed from level `fallback` on.
[[gnu::cold]] void log_notice(std::string const& line);

// ---- events

// Each function notifies the observer, then prints the event if log level and form require it.

/// One op of a kernel that is about to run. Printed at level `all`.
[[gnu::cold]] void log_op(op_event const& e);

/// A kernel that does not run on the requested device. Printed once per distinct fallback and line,
/// counted each time.
[[gnu::cold]] void log_fallback(op_event const& e);

/// A copy of an operand for a kernel, under a transfer policy. Printed at level `copies`, or if the
/// policy warns. At level `all` only the native form prints it, as TensorFlow has no such line.
[[gnu::cold]] void log_copy(op_event const& e, transfers policy);

/// A call of copy_to(). Printed at level `copies` if it copies. At level `all` TensorFlow's forms
/// always print it, as the op Identity.
[[gnu::cold]] void log_copy_to(op_event const& e);

/// A variable of this name that is made on a device. Printed at level `all` by TensorFlow's forms
/// alone: VariableV2 and Assign, or VarHandleOp and AssignVariableOp.
[[gnu::cold]] void log_variable(std::string_view name, device where, site at);
/// Logs that a copy of a variable on this device gets its first value, in TensorFlow 2's form.
[[gnu::cold]] void log_variable_read(device where, site at);

/// Throws the error of a kernel that the settings `how` do not allow. The log format in force
/// selects the message.
[[noreturn, gnu::cold]] void throw_placement_error(op_event const& e, settings_word how);

/// Throws the error of an op that fusion would move, under hard placement.
[[noreturn, gnu::cold]] void throw_moved_op(op_event const& e);

/// The number of the next kernel, from 1.
std::uint64_t next_kernel_id() noexcept;

/// " at train.cpp:12"; "" if the line is not known.
std::string place_text(site s);

}  // namespace detail

/// Sets the sink of log lines; nullptr: standard error.
void set_log_sink(log_sink sink, void* context = nullptr);

/// All distinct fallbacks so far, with their counts.
std::vector<fallback> fallbacks();

/// The number of kernels that fell back so far.
std::size_t fallback_count();

}}  // namespace placement::v0_1
