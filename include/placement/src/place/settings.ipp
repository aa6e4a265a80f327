#pragma once
/// Definitions of settings.hpp: reading and changing the settings of the process.

#include <placement/config.hpp>
#include <placement/place/settings.hpp>
#include <placement/src/device/environment.ipp>

#include <cstdint>
#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Starts the trace that PLACEMENT_TRACE requests, unless it has started. Throws: file_error.
void start_trace_of_environment(std::string const& path);

PLACEMENT_INLINE std::uint32_t read_settings() {
  settings_change start{~0u, 1u | settings_word::was_read};
  start = start.then(log_level::fallback);
  environment const& env = environment_variables();
  if (env.soft_placement) start = start.then(soft_placement{*env.soft_placement});
  if (env.log) start = start.then(static_cast<log_level>(*env.log));
  if (env.log_format) start = start.then(static_cast<log_format>(*env.log_format));
  if (env.transfers) start = start.then(static_cast<placement::transfers>(*env.transfers));
  if (env.trace) {
    start_trace_of_environment(*env.trace);
    start.value |= settings_word::traced;
  }
  std::uint32_t none = 0;
  process_settings.replace(none, start.value);
  return process_settings.peek();
}

inline void change_settings(settings_change c) {
  std::uint32_t bits = settings_of_process().bits();
  while (!process_settings.replace(bits, c.applied_to(bits))) {}
}

}  // namespace detail

PLACEMENT_INLINE void set_soft_device_placement(bool on) {
  detail::change_settings(soft_placement{on});
  detail::override_variable(variable::soft_placement, "set_soft_device_placement()");
}
PLACEMENT_INLINE void set_log_device_placement(bool on) {
  detail::change_settings(log_placement{on});
  detail::override_variable(variable::log, "set_log_device_placement()");
}
PLACEMENT_INLINE void set_log_level(log_level l) {
  detail::change_settings(l);
  detail::override_variable(variable::log, "set_log_level()");
}
PLACEMENT_INLINE void set_log_format(log_format f) {
  detail::change_settings(f);
  detail::override_variable(variable::log_format, "set_log_format()");
}
PLACEMENT_INLINE void set_transfer_policy(transfers t) {
  detail::change_settings(t);
  detail::override_variable(variable::transfers, "set_transfer_policy()");
}
PLACEMENT_INLINE void set_tensor_float_32_execution(bool on) {
  detail::change_settings(tensor_float_32{on});
}

}}  // namespace placement::v0_1
