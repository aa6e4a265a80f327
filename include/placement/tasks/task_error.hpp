#pragma once
/// The error of a program whose tasks do not agree, or of a task that failed.

#include <placement/error.hpp>

#include <stdexcept>

namespace placement { inline namespace v0_1 {

/// Tasks that run different statements, a task that failed, ended or died, and a wait beyond the
/// limit. The program cannot go on.
struct task_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

}}  // namespace placement::v0_1
