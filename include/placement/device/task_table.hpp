#pragma once
/// The tasks of a program that runs as several processes: their jobs and their numbers.

#include <placement/config.hpp>
#include <placement/device/name.hpp>
#include <placement/runtime/shared_word.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// A job and how many tasks it has: `job{"worker", 3}` has /job:worker/task:0 to
/// /job:worker/task:2.
struct job {
  std::string name;
  int tasks = 0;

  friend bool operator==(job const&, job const&) = default;
};

namespace detail {

/// The largest number of tasks of a program.
inline constexpr int max_tasks = 1 << 14;

/// The jobs of a program. Tasks are numbered through all jobs, in the order of the list.
class task_table {
 public:
  static constexpr int none = -1, several = -2;

  /// Throws: invalid_argument for no job, a name that is not one, a name given twice, "localhost",
  /// a job without tasks, and more than max_tasks tasks.
  explicit task_table(std::vector<job> jobs) : jobs_(std::move(jobs)) { check(); }

  int size() const noexcept { return size_; }
  std::vector<job> const& jobs() const noexcept { return jobs_; }
  /// `job` and task of a number, and no other part. The text lives as long as the table.
  device_name parts(int task) const noexcept;
  /// The number of the task that a name's job and task name. A job without a task means its task 0.
  /// `none` if there is none; `several` for a task without a job that several jobs have.
  int find(device_name const& name) const noexcept;

 private:
  void check();

  std::vector<job> jobs_;
  int size_ = 0;
};

/// The tasks of this program; null in a program of one process.
PLACEMENT_PROCESS_STATE inline constinit shared_word<task_table const*> tasks_of_program{nullptr};
/// The task of this process, if the others are other processes; else -1.
PLACEMENT_PROCESS_STATE inline constinit shared_word<int> task_of_process{-1};

/// task_table::find() for a program of `tasks` tasks. If that is not this program, its tasks are of
/// one job.
int find_task(device_name const& name, int tasks) noexcept;

/// "/job:worker/task:0, /job:worker/task:1". From the fifth task of a job on a range.
std::string task_names();

}  // namespace detail
}}  // namespace placement::v0_1
