#pragma once
/// Definitions of task_table.hpp.

#include <placement/config.hpp>
#include <placement/device/task_table.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/runtime/parse.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_jobs(std::string const& what) {
  throw invalid_argument("placement: " + what +
                         ". Give jobs such as ps:1,worker:3: a name and a number of tasks each.");
}

PLACEMENT_INLINE void task_table::check() try {
  if (jobs_.empty()) throw_wrong_jobs("there are no jobs");
  for (std::size_t i = 0; i != jobs_.size(); ++i) {
    job const& j = jobs_[i];
    if (!is_identifier(j.name) || j.name == "localhost" || j.name.size() > 64)
      throw_wrong_jobs(quote(j.name) + " cannot be the name of a job");
    for (std::size_t k = 0; k != i; ++k)
      if (jobs_[k].name == j.name) throw_wrong_jobs("job " + quote(j.name) + " is given twice");
    if (j.tasks < 1 || j.tasks > max_tasks - size_)
      throw_wrong_jobs("job " + quote(j.name) + " has " + std::to_string(j.tasks) +
                       " tasks; a program has from 1 to " + std::to_string(max_tasks));
    size_ += j.tasks;
  }
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE device_name task_table::parts(int task) const noexcept {
  device_name n;
  for (job const& j : jobs_) {
    if (task < j.tasks) {
      n.job = j.name;
      n.task = task;
      return n;
    }
    task -= j.tasks;
  }
  n.task = task;
  return n;
}

PLACEMENT_INLINE int task_table::find(device_name const& name) const noexcept {
  if (name.has_replica() && name.replica != 0) return none;
  int const wanted = name.has_task() ? name.task : 0;
  int found = none, first = 0;
  for (job const& j : jobs_) {
    if ((!name.has_job() || name.job == j.name) && wanted < j.tasks) {
      if (found != none) return several;
      found = first + wanted;
    }
    first += j.tasks;
  }
  return found;
}

PLACEMENT_INLINE device_name name_of_task_here(int task) noexcept {
  if (task_table const* const table = tasks_of_program.load()) return table->parts(task);
  device_name n;
  n.task = task;
  return n;
}

PLACEMENT_INLINE int find_task(device_name const& name, int tasks) noexcept {
  task_table const* const table = tasks_of_program.load();
  if (table != nullptr && table->size() == tasks) return table->find(name);
  int const wanted = name.has_task() ? name.task : 0;
  bool const is_other_replica = name.has_replica() && name.replica != 0;
  bool const is_here = name.has_job() && name.job == "localhost";
  return tasks > 1 && wanted < tasks && !is_other_replica && !is_here ? wanted : task_table::none;
}

PLACEMENT_INLINE std::string task_names() {
  task_table const* const table = tasks_of_program.load();
  if (table == nullptr) return "/job:localhost/task:0";
  std::string text;
  for (job const& j : table->jobs()) {
    std::string const begin = "/job:" + j.name + "/task:";
    for (int t = 0; t != j.tasks && (j.tasks < 5 || t == 0); ++t)
      text += (text.empty() ? "" : ", ") + begin + std::to_string(t);
    if (j.tasks >= 5) text += " to " + begin + std::to_string(j.tasks - 1);
    if (text.size() > 1024) return text + " ...";
  }
  return text;
}

}}}  // namespace placement::v0_1::detail
