#pragma once
/// The environment variables of the library: a fixed list, read once, checked and reported.
///
/// An empty variable counts as unset, except CUDA_VISIBLE_DEVICES, where empty means no device.
/// Settings in code override the environment; only CUDA_VISIBLE_DEVICES cannot be overridden.

#include <placement/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// All variables that the library reads.
enum class variable : unsigned char {
  cuda_visible_devices,
  force_gpu_allow_growth,
  simulated_gpus,
  simulated_gpu_memory,
  simulated_gpu_held,
  log,
  log_format,
  soft_placement,
  transfers,
  intra_op_threads,
  inter_op_threads,
  cpu_level,
  trace,
  simulated_tasks,
  tasks_check,
  tasks_limit,
  tasks_patience,
  jobs,
  tf_config,
};
inline constexpr std::size_t variable_count = 19;

/// The maximum number of simulated GPUs.
inline constexpr int max_simulated_gpus = 64;
/// The maximum number of simulated tasks.
inline constexpr int max_simulated_tasks = 64;
/// The maximum number of threads.
inline constexpr int max_threads = 4096;

/// The values of the variables; std::nullopt for an unset one.
struct environment {
  std::optional<std::string> cuda_visible_devices;  ///< unparsed: see visibility.hpp
  std::optional<bool> force_gpu_allow_growth;
  std::optional<int> simulated_gpus;
  std::optional<std::size_t> simulated_gpu_memory;  ///< bytes of each GPU
  /// Bytes held by other processes: one number for each GPU, or one for all.
  std::optional<std::vector<std::size_t>> simulated_gpu_held;
  std::optional<int> log;         ///< 0 off, 1 fallback, 2 copies, 3 all
  std::optional<int> log_format;  ///< 0 native, 1 tf2, 2 tf1, 3 tf1_graph
  std::optional<bool> soft_placement;
  std::optional<int> transfers;  ///< 0 silent, 1 warn, 2 `refuse`
  std::optional<int> intra_op_threads;
  std::optional<int> inter_op_threads;
  std::optional<int> cpu_level;      ///< 0 baseline, 1 x86-64-v3, 2 x86-64-v4
  std::optional<std::string> trace;  ///< the path of the file that gets the trace
  std::optional<int> simulated_tasks;
  std::optional<int> tasks_check;        ///< 0 statements, 1 values
  std::optional<double> tasks_limit;     ///< seconds; 0: a wait for another task has no end
  std::optional<double> tasks_patience;  ///< seconds
  std::optional<std::string> jobs;       ///< unparsed: see tasks/jobs.hpp
  std::optional<std::string> tf_config;  ///< unparsed
};

/// The text of each variable, by its number; std::nullopt for an unset one.
struct environment_texts {
  std::optional<std::string> of[variable_count];

  std::optional<std::string> const& operator[](variable v) const noexcept {
    return of[static_cast<std::size_t>(v)];
  }
};

/// The name of a variable.
std::string_view name_of(variable v) noexcept;

/// Parses the texts. Throws: invalid_argument naming the variable, its value and the accepted
/// values.
environment read_environment(environment_texts const& texts);

/// The values of this process's variables, read once at the first call. A program with more rights
/// than its user reads none of them (secure_getenv). Throws: invalid_argument, at every call, while
/// one of them is malformed.
environment const& environment_variables();

/// One line per set variable: its value, and whether it is in effect or which call overrides it.
std::string environment_report();

}}  // namespace placement::v0_1
