#pragma once
/// The object that makes a process part of a program of several tasks.

#include <placement/tasks/cluster.hpp>
#include <placement/tasks/jobs.hpp>
#include <placement/tasks/task.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// All tasks in this process, for tests: `pl::tasks all(pl::simulated_tasks{4})`. They share its
/// devices, and a message is a counted copy.
struct simulated_tasks {
  int count = 1;
  std::vector<job> jobs = {};  ///< none: one job, "worker"
};

/// What connects processes to a program of tasks, such as `pl::mpi`.
template <class C> concept task_connection = requires(C& c) {
  { c.connect() } -> std::same_as<std::unique_ptr<task_engine>>;
  { c.jobs } -> std::convertible_to<std::vector<job>>;
};

/// Makes device names with tasks valid while it lives. Make it first in main(), and once:
///
///     int main(int argc, char** argv) {
///       pl::tasks all(pl::mpi{argc, argv});
///
/// The jobs are those given, or those of PLACEMENT_JOBS, or of TF_CONFIG, else one job "worker".
/// PLACEMENT_SIMULATED_TASKS=4 simulates tasks if there is one process.
/// Thread: only the thread that made it writes statements that concern other tasks. Ops that do not
/// are free on all threads.
/// Its end is a statement, too: all tasks get there, or an error names those that did not.
class tasks {
 public:
  /// A program of one process, or PLACEMENT_SIMULATED_TASKS of them.
  /// Throws of all: invalid_argument for malformed variables, or jobs of another number of tasks.
  /// placement_error for a second object. task_error for tasks that differ in the program, in
  /// variables or in devices.
  tasks() : tasks(simulated_tasks{0}) {}
  explicit tasks(simulated_tasks s) { simulate(std::move(s)); }
  template <task_connection C> explicit tasks(C connection) {
    connect(connection.connect(), connection.jobs);
  }
  tasks(tasks const&) = delete;
  tasks& operator=(tasks const&) = delete;
  ~tasks() { end(); }

  int count() const noexcept { return cluster_->size(); }
  int rank() const noexcept { return cluster_->rank(); }
  bool is_simulated() const noexcept { return cluster_->is_simulated(); }

 private:
  void simulate(simulated_tasks s);
  void connect(std::unique_ptr<task_engine> engine, std::vector<job> jobs);
  void publish();
  void end();

  std::unique_ptr<detail::cluster> cluster_;
  int exceptions_ = std::uncaught_exceptions();
};

}}  // namespace placement::v0_1
