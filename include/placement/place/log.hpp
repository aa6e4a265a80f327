#pragma once
/// What was placed where, in words: three formats, one sink, and the count of fallbacks.
///
/// Everything here is cold: events hold copies, so that no expression's address escapes into the
/// log.

#include <placement/error.hpp>
#include <placement/place/op_event.hpp>
#include <placement/place/scope.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement::inline v0_1 {

/// Receives each finished line, without its end. Called under a lock: it must not log itself.
using log_sink = void (*)(std::string_view line, void* context);

/// One distinct fallback: the same op, types, devices and reason at the same line of the program.
struct fallback {
  std::string op;         ///< "NextAfter<float>"
  std::string requested;  ///< "/GPU:1"; empty when nobody asked
  device ran{};
  reason why{};
  site where{};
  std::size_t times = 0;
};

namespace detail {

// ---- events

// Each is shown to the observer, then printed where level and form say so.

/// One op of a kernel that is about to run. Printed at level `all`.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_op(op_event const& e);

/// A kernel that does not run where it was asked to. Said once per distinct fallback and line,
/// counted each time.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_fallback(op_event const& e);

/// An operand that is copied for a kernel, under a transfer policy. Printed at level `copies`, or
/// where the policy warns; at level `all` in the native form only, as TensorFlow does.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void log_copy(op_event const& e, transfers policy);

/// A call of copy_to(). Printed at level `copies` where it copies; at level `all` in TensorFlow's
/// forms as its op Identity, always.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_copy_to(op_event const& e);

/// Throws the error of a kernel that `how` refuses, in the words of the log format in force.
template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void throw_placement_error(op_event const& e,
                                                                  settings_word how);

/// Throws the error of an op that fusing would move, under hard placement.
template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void throw_moved_op(op_event const& e);

/// A number for the next kernel, from 1.
template <class Once = void> std::uint64_t next_kernel_id() noexcept;

/// " at train.cpp:12"; "" where the line is not known.
template <class Once = void> std::string place_text(site s);

}  // namespace detail

/// Where log lines go; nullptr: standard error.
template <class Once = void> void set_log_sink(log_sink sink, void* context = nullptr);

/// Every distinct fallback so far, with its count.
template <class Once = void> std::vector<fallback> fallbacks();

/// How many kernels fell back so far.
template <class Once = void> std::size_t fallback_count();

}  // namespace placement::inline v0_1
