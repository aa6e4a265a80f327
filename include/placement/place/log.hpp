#pragma once
/// What was placed where, in words: three formats, one sink, and the count of fallbacks.
///
/// Everything here is cold: records are passed by value, so that no expression's address escapes
/// into the log.

#include <placement/error.hpp>
#include <placement/place/label.hpp>
#include <placement/place/scope.hpp>

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

// ---- events

/// One op of a kernel that is about to run, at level `all`.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_op(op_record r);

/// A kernel that does not run where it was asked to. Said once per distinct fallback and line,
/// counted each time.
template <class Once = void> [[gnu::cold, gnu::noinline]] void log_fallback(op_record r);

/// An operand that is copied for a kernel.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void log_copy(std::string_view op, device from, device to,
                                           std::size_t bytes, site where, bool warning);

/// Throws the error of a kernel that `how` refuses, in the words of the log format in force.
template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(op_record r, settings_word how);

/// Throws the error of an op that fusing would move, under hard placement.
template <class Once = void> [[noreturn, gnu::cold, gnu::noinline]] void refuse_move(op_record r);

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
