#pragma once
/// Definitions of tasks.hpp and task.hpp.

#include <placement/config.hpp>
#include <placement/device/environment.hpp>
#include <placement/error.hpp>
#include <placement/src/tasks/cluster.ipp>
#include <placement/src/tasks/jobs.ipp>
#include <placement/tasks/tasks.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

inline cluster* cluster_of_process() noexcept {
  return static_cast<cluster*>(tasks_of_process.load());
}
PLACEMENT_INLINE cluster& cluster_of_program(std::string_view op, site at) {
  cluster* const all = cluster_of_process();
  if (all == nullptr)
    throw placement_error("placement: " + std::string(op) + place_text(at) +
                          " is of a program with tasks. Make one first in main: pl::tasks "
                          "all(pl::mpi{argc, argv}), or pl::tasks all.");
  return *all;
}

/// The jobs of a program of `size` processes. rank: of this one.
inline std::vector<job> jobs_of_program(std::vector<job> given, int size, int rank) {
  environment const& variables = environment_variables();
  std::string from = "the jobs";
  if (given.empty() && variables.jobs) {
    given = parse_jobs(*variables.jobs);
    from = "PLACEMENT_JOBS";
  } else if (given.empty() && variables.tf_config && size > 1) {
    tf_config found = parse_tf_config(*variables.tf_config);
    if (found.own_task >= 0 && rank >= 0 && found.own_task != rank)
      throw invalid_argument("placement: TF_CONFIG says that this is task " +
                             std::to_string(found.own_task) + " of the program, MPI says " +
                             std::to_string(rank) +
                             ". List the tasks in the order in which MPI starts them.");
    given = std::move(found.jobs);
    from = "TF_CONFIG";
  }
  if (given.empty()) given = {{"worker", size}};
  if (int const tasks = task_table(given).size(); tasks != size)
    throw invalid_argument("placement: " + from + " have " + std::to_string(tasks) +
                           " tasks, but there are " + std::to_string(size) +
                           " processes. Start as many, or name as many.");
  return given;
}

/// What the tasks of a program must have in common besides the executable and the devices.
inline std::uint64_t hash_of_settings() {
  std::uint64_t h = 7;
  auto const& texts = environment_of_process().texts;
  for (std::size_t i = 0; i != variable_count; ++i) {
    auto const v = static_cast<variable>(i);
    bool const is_local = v == variable::cuda_visible_devices || v == variable::tf_config ||
                          v == variable::log || v == variable::trace ||
                          v == variable::intra_op_threads || v == variable::inter_op_threads;
    if (!is_local && texts.of[i]) h = hash_bytes(texts.of[i]->data(), texts.of[i]->size(), h + i);
  }
  return h;
}

PLACEMENT_INLINE void cluster::start() {
  environment const& variables = environment_variables();
  checks_values_ = variables.tasks_check == 1;
  if (engine_ != nullptr)
    engine_->start({stream_, table_, variables.tasks_patience.value_or(1.0),
                    variables.tasks_limit.value_or(0.0), this_machine(), hash_of_settings()});
}

PLACEMENT_INLINE void cluster::stop(bool failed) noexcept {
  if (engine_ == nullptr) return;
  if (!background_.idle()) background_.wait_for_point(background_.last_point());
  failed = failed || background_error_ != nullptr;
  if (!failed) stream_.count("end of program", every_task, {}, {0, nullptr}, 0);
  engine_->stop(failed);
}

}  // namespace detail

PLACEMENT_INLINE void tasks::simulate(simulated_tasks s) try {
  if (s.count < 0 || s.count > max_simulated_tasks)
    throw invalid_argument("placement: " + std::to_string(s.count) +
                           " simulated tasks. Ask for 1 to " + std::to_string(max_simulated_tasks) +
                           ".");
  if (s.count == 0) s.count = environment_variables().simulated_tasks.value_or(1);
  cluster_ = std::make_unique<detail::cluster>(
      detail::jobs_of_program(std::move(s.jobs), s.count, -1), nullptr);
  publish();
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void tasks::connect(std::unique_ptr<task_engine> engine,
                                     std::vector<job> jobs) try {
  int size = engine->size(), rank = engine->rank();
  if (int const n = environment_variables().simulated_tasks.value_or(0); n != 0) {
    if (size > 1)
      throw invalid_argument("placement: PLACEMENT_SIMULATED_TASKS is set, and MPI started " +
                             std::to_string(size) + " processes. Unset it, or start one.");
    engine->stop(false);
    engine.reset();
    size = n;
    rank = -1;
  }
  jobs = detail::jobs_of_program(std::move(jobs), size, rank);
  cluster_ = std::make_unique<detail::cluster>(std::move(jobs), std::move(engine));
  publish();
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void tasks::publish() {
  if (detail::tasks_of_process.load() != nullptr)
    throw placement_error("placement: this program has a tasks object already. Make one in main.");
  detail::set_tasks_of_program(&cluster_->table());
  if (!cluster_->is_simulated()) detail::task_of_process.set(cluster_->rank());
  detail::tasks_of_thread.has_statements = true;
  detail::tasks_of_process.publish(cluster_.get());
}

PLACEMENT_INLINE void tasks::end() {
  cluster_->stop(std::uncaught_exceptions() > exceptions_);
  detail::tasks_of_process.publish(nullptr);
  detail::tasks_of_thread.has_statements = false;
  detail::task_of_process.set(-1);
  detail::set_tasks_of_program(nullptr);
}

PLACEMENT_INLINE std::string task::name() const {
  detail::task_table const* const table = detail::tasks_of_program.load();
  return table == nullptr ? "/job:localhost/task:0" : to_string(table->parts(index));
}
PLACEMENT_INLINE device_request task::device(std::string_view local, site at) const {
  device_spec const own = detail::parse_device_spec(local);
  if (!own.is_local() || own.without_task() != own)
    throw invalid_argument("placement: " + detail::quote(std::string(local)) +
                           " is not a device of a task alone. Write one such as \"gpu:0\".");
  if (detail::tasks_of_program.load() == nullptr || count == 1) return {own.local_device(), at};
  placement::device const d = own.local_device();
  device_request r(d, at);
  r.requested = device_spec(placement::device{d.type, d.index, index});
  return r;
}

PLACEMENT_INLINE std::vector<task> list_tasks(std::string_view job) try {
  detail::task_table const* const table = detail::tasks_of_program.load();
  if (table == nullptr && job.empty()) return {task{}};
  std::vector<task> found;
  for (int t = 0; table != nullptr && t != table->size(); ++t)
    if (job.empty() || table->parts(t).job == job) found.push_back({t, table->size()});
  if (found.empty())
    throw invalid_argument("placement: there is no job " + detail::quote(std::string(job)) +
                           "; tasks: " + detail::task_names() + ".");
  return found;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::vector<device> task_devices(std::string_view local, std::string_view job,
                                                  site at) {
  std::vector<device> all;
  for (task const& t : list_tasks(job)) {
    device_spec const found = t.device(local, at).requested;
    device const d = found.without_task().local_device();
    if (!d.has_value())
      throw invalid_argument("placement: " + detail::quote(std::string(local)) +
                             " is not the name of one device. Write \"cpu:0\".");
    all.push_back(t.count == 1 ? d : device{d.type, d.index, t.index});
  }
  return all;
}

PLACEMENT_INLINE task this_task() noexcept {
  detail::cluster const* const all = detail::cluster_of_process();
  return all == nullptr ? task{} : task{all->rank(), all->size()};
}
PLACEMENT_INLINE message_count messages_so_far() noexcept {
  detail::cluster const* const all = detail::cluster_of_process();
  return all == nullptr ? message_count{} : all->messages();
}

}}  // namespace placement::v0_1
