#pragma once
/// Definitions of environment.hpp.

#include <placement/config.hpp>
#include <placement/device/environment.hpp>
#include <placement/device/visibility.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/runtime/parse.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>

namespace placement { inline namespace v0_1 {

namespace detail {

struct variable_facts {
  char const* name;
  std::string_view accepted;
};

constexpr variable_facts facts_of(variable v) noexcept {
  constexpr variable_facts all[variable_count] = {
      {"CUDA_VISIBLE_DEVICES", "indexes or UUIDs, separated by commas"},
      {"TF_FORCE_GPU_ALLOW_GROWTH", "true or false"},
      {"PLACEMENT_SIMULATED_GPUS", "a number from 0 to 64"},
      {"PLACEMENT_SIMULATED_GPU_MEMORY", "a size above 0 such as 512MiB, 1GiB or 1073741824"},
      {"PLACEMENT_SIMULATED_GPU_HELD",
       "a size such as 512MiB, 1GiB or 0, or one for each GPU, separated by commas"},
      {"PLACEMENT_LOG", "off, fallback, copies or all"},
      {"PLACEMENT_LOG_FORMAT", "native, tf2, tf1 or tf1_graph"},
      {"PLACEMENT_SOFT_PLACEMENT", "1 or 0, true or false"},
      {"PLACEMENT_TRANSFERS", "silent, warn or refuse"},
      {"PLACEMENT_INTRA_OP_THREADS", "a number from 0 (as many as help) to 4096"},
      {"PLACEMENT_INTER_OP_THREADS", "a number from 0 (as many as help) to 4096"},
      {"PLACEMENT_CPU_LEVEL", "baseline, x86-64-v3 or x86-64-v4"},
      {"PLACEMENT_TRACE", "the path of a file"},
      {"PLACEMENT_SIMULATED_TASKS", "a number from 1 to 64"},
      {"PLACEMENT_TASKS_CHECK", "statements or values"},
      {"PLACEMENT_TASKS_LIMIT", "seconds from 0 (no limit) to 1000000, such as 0.5"},
      {"PLACEMENT_TASKS_PATIENCE", "seconds from 0.01 to 1000000, such as 0.5"},
      {"PLACEMENT_JOBS", "jobs such as ps:1,worker:3"},
      {"TF_CONFIG", "TensorFlow's JSON of a cluster"},
  };
  return all[static_cast<std::size_t>(v)];
}

/// "512MiB" -> 536870912. std::nullopt for a text that is not a size, or does not fit in size_t.
constexpr std::optional<std::size_t> read_bytes(std::string_view text) noexcept {
  struct unit {
    std::string_view name;
    unsigned shift;
  };
  constexpr unit units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  unsigned shift = 0;
  for (unit const& u : units) {
    if (!text.ends_with(u.name)) continue;
    shift = u.shift;
    text.remove_suffix(u.name.size());
    break;
  }
  auto const number = parse_decimal(text);
  if (!number || *number > (max_decimal - 1) >> shift) return std::nullopt;
  return std::size_t{*number << shift};
}

constexpr std::optional<int> read_count(std::string_view text, int max) noexcept {
  auto const number = parse_decimal(text);
  if (!number || *number > static_cast<std::uint64_t>(max)) return std::nullopt;
  return static_cast<int>(*number);
}

constexpr std::optional<bool> read_switch(std::string_view text) noexcept {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return std::nullopt;
}

/// The index of a word in a list.
template <std::size_t N>
constexpr std::optional<int> read_word(std::string_view text,
                                       std::string_view const (&words)[N]) noexcept {
  for (std::size_t i = 0; i != N; ++i)
    if (text == words[i]) return static_cast<int>(i);
  return std::nullopt;
}

constexpr std::optional<int> read_log(std::string_view text) noexcept {
  return read_word(text, {"off", "fallback", "copies", "all"});
}
constexpr std::optional<int> read_log_format(std::string_view text) noexcept {
  return read_word(text, {"native", "tf2", "tf1", "tf1_graph"});
}
constexpr std::optional<int> read_transfers(std::string_view text) noexcept {
  if (text == "explicit") return 2;  // TensorFlow's word for `refuse`
  return read_word(text, {"silent", "warn", "refuse"});
}
constexpr std::optional<int> read_cpu_level(std::string_view text) noexcept {
  return read_word(text, {"baseline", "x86-64-v3", "x86-64-v4"});
}
constexpr std::optional<std::size_t> read_some_bytes(std::string_view text) noexcept {
  auto const size = read_bytes(text);
  return size == std::size_t{0} ? std::nullopt : size;
}
/// "0,1GiB" -> {0, 1073741824}.
inline std::optional<std::vector<std::size_t>> read_sizes(std::string_view text) {
  std::vector<std::size_t> all;
  for (comma_list list(text); auto const entry = list.next();) {
    auto const size = read_bytes(*entry);
    if (!size || all.size() == max_simulated_gpus) return std::nullopt;
    all.push_back(*size);
  }
  return all;
}
constexpr std::optional<int> read_gpus(std::string_view text) noexcept {
  return read_count(text, max_simulated_gpus);
}
inline std::optional<std::string> read_path(std::string_view text) { return std::string(text); }
constexpr std::optional<int> read_simulated_tasks(std::string_view text) noexcept {
  auto const count = read_count(text, max_simulated_tasks);
  return count == 0 ? std::nullopt : count;
}
constexpr std::optional<int> read_tasks_check(std::string_view text) noexcept {
  return read_word(text, {"statements", "values"});
}
/// "0.5" -> 0.5. At most six decimals.
constexpr std::optional<double> read_seconds(std::string_view text) noexcept {
  std::size_t const point = text.find('.');
  auto const whole = parse_decimal(text.substr(0, point));
  if (!whole || *whole > 1000000) return std::nullopt;
  if (point == std::string_view::npos) return static_cast<double>(*whole);
  std::string_view const decimals = text.substr(point + 1);
  auto const part = parse_decimal(decimals);
  if (!part || decimals.size() > 6) return std::nullopt;
  double scale = 1;
  for (std::size_t i = 0; i != decimals.size(); ++i) scale *= 10;
  return static_cast<double>(*whole) + static_cast<double>(*part) / scale;
}
constexpr std::optional<double> read_patience(std::string_view text) noexcept {
  auto const seconds = read_seconds(text);
  return seconds && *seconds < 0.01 ? std::nullopt : seconds;
}
constexpr std::optional<int> read_threads(std::string_view text) noexcept {
  return read_count(text, max_threads);
}

/// The value of one variable, parsed by `read`. Throws: invalid_argument.
template <class T>
std::optional<T> read_variable(environment_texts const& texts, variable v,
                               std::optional<T> (*read)(std::string_view)) {
  auto const& text = texts[v];
  if (!text || text->empty()) return std::nullopt;
  auto const value = read(*text);
  if (!value)
    throw invalid_argument("The environment variable " + std::string(facts_of(v).name) + " is " +
                           quote(*text) + "; it must be " + std::string(facts_of(v).accepted));
  return value;
}

}  // namespace detail

PLACEMENT_INLINE std::string_view name_of(variable v) noexcept { return detail::facts_of(v).name; }

PLACEMENT_INLINE environment read_environment(environment_texts const& texts) {
  using enum variable;
  return {
      .cuda_visible_devices = texts[cuda_visible_devices],
      .force_gpu_allow_growth =
          detail::read_variable(texts, force_gpu_allow_growth, detail::read_switch),
      .simulated_gpus = detail::read_variable(texts, simulated_gpus, detail::read_gpus),
      .simulated_gpu_memory =
          detail::read_variable(texts, simulated_gpu_memory, detail::read_some_bytes),
      .simulated_gpu_held = detail::read_variable(texts, simulated_gpu_held, detail::read_sizes),
      .log = detail::read_variable(texts, log, detail::read_log),
      .log_format = detail::read_variable(texts, log_format, detail::read_log_format),
      .soft_placement = detail::read_variable(texts, soft_placement, detail::read_switch),
      .transfers = detail::read_variable(texts, transfers, detail::read_transfers),
      .intra_op_threads = detail::read_variable(texts, intra_op_threads, detail::read_threads),
      .inter_op_threads = detail::read_variable(texts, inter_op_threads, detail::read_threads),
      .cpu_level = detail::read_variable(texts, variable::cpu_level, detail::read_cpu_level),
      .trace = detail::read_variable(texts, variable::trace, detail::read_path),
      .simulated_tasks =
          detail::read_variable(texts, variable::simulated_tasks, detail::read_simulated_tasks),
      .tasks_check = detail::read_variable(texts, variable::tasks_check, detail::read_tasks_check),
      .tasks_limit = detail::read_variable(texts, variable::tasks_limit, detail::read_seconds),
      .tasks_patience =
          detail::read_variable(texts, variable::tasks_patience, detail::read_patience),
      .jobs = detail::read_variable(texts, variable::jobs, detail::read_path),
      .tf_config = detail::read_variable(texts, variable::tf_config, detail::read_path)};
}

namespace detail {

/// The variables as they were at the process's first lookup.
struct process_environment {
  environment_texts texts;
  environment values;
  std::string error;  ///< describes the first malformed variable; empty = none
  std::atomic<char const*> overridden_by[variable_count]{};  ///< the call that overrides a variable

  process_environment() {
    for (std::size_t i = 0; i != variable_count; ++i)
      if (char const* text = ::secure_getenv(facts_of(static_cast<variable>(i)).name))
        texts.of[i] = text;
    try {
      values = read_environment(texts);
    } catch (invalid_argument const& e) { error = e.what(); }
  }
};

PLACEMENT_PROCESS_STATE inline process_environment& environment_of_process() {
  static process_environment& state = *new process_environment;
  return state;
}

/// Records for the report that a call overrides a variable. `call` must live for ever.
inline void override_variable(variable v, char const* call) {
  environment_of_process().overridden_by[static_cast<std::size_t>(v)].store(
      call, std::memory_order_relaxed);
}

}  // namespace detail

PLACEMENT_INLINE environment const& environment_variables() try {
  auto const& state = detail::environment_of_process();
  if (!state.error.empty()) throw invalid_argument(state.error);
  return state.values;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string environment_report() try {
  auto const& state = detail::environment_of_process();
  std::string report;
  for (std::size_t i = 0; i != variable_count; ++i) {
    auto const& text = state.texts.of[i];
    if (!text) continue;
    char const* const call = state.overridden_by[i].load(std::memory_order_relaxed);
    report += detail::facts_of(static_cast<variable>(i)).name;
    report += "=" + detail::quote(*text) + ": ";
    report += call != nullptr ? "overridden by " + std::string(call) : std::string("in effect");
    report += '\n';
  }
  if (!state.error.empty()) report += "None is in effect. " + state.error + '\n';
  return report.empty() ? "No environment variable of the library is set.\n" : report;
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
