#pragma once
/// What tasks report to each other when the program does not go on.

#include <placement/device/device.hpp>
#include <placement/tasks/statement.hpp>

#include <array>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// The report of a task that waits for long, or fails.
struct task_news {
  std::int32_t task = 0, has_failed = 0, awaited = every_task, known = 0;
  std::array<statement, 12> last{};  ///< the youngest `known` statements, oldest first
  char why[448] = {};                ///< of a failure
};

}}}  // namespace placement::v0_1::detail
