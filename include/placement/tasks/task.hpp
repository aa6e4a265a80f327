#pragma once
/// A task of the program: its job, its number and its devices.

#include <placement/device/task_table.hpp>
#include <placement/place/scope.hpp>
#include <placement/tasks/cluster.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// One process of the program. `index`: its number through all jobs, from 0. `count`: of all tasks.
struct task {
  int index = 0;
  int count = 1;

  /// "/job:worker/task:1"; "/job:localhost/task:0" in a program of one process.
  std::string name() const;
  /// A device of the task, for a scope or for on(): `t.device("gpu:0")`.
  /// Throws: invalid_argument for a text that is not a device name, or that names a task.
  device_request device(std::string_view local, site at = site::here()) const;

  friend bool operator==(task const&, task const&) = default;
};

/// The tasks of the program, or those of one job. In a program of one process the only one.
/// Throws: invalid_argument for a job that the program does not have.
std::vector<task> list_tasks(std::string_view job = {});

/// A device of each task, or of each task of one job, for the policies of variables:
/// `parallel::sharded{.devices = task_devices("cpu:0", "ps")}`.
/// Throws: as task::device() and list_tasks().
std::vector<device> task_devices(std::string_view local, std::string_view job = {},
                                 site at = site::here());

/// The task of this process. In each_task() with simulated tasks: the one whose function runs.
task this_task() noexcept;

/// The messages of this process so far.
message_count messages_so_far() noexcept;

}}  // namespace placement::v0_1
