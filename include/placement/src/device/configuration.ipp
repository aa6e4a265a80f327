#pragma once
/// Definitions of configuration.hpp.

#include <placement/config.hpp>
#include <placement/device/configuration.hpp>
#include <placement/device/configuration_rules.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

// ---- the GPUs of the process

PLACEMENT_INLINE void set_simulated_gpus(simulated_gpus const& settings) try {
  detail::check_simulated(settings);
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  bool const changes = !(detail::simulated_in_force(r) == settings);
  if (changes) {
    detail::throw_if_initialized("Simulated GPUs cannot be modified");
    if (detail::gpus_configured(r))
      throw invalid_argument("Simulated GPUs cannot be modified after other settings of GPUs");
  }
  if (is_initialized()) return;
  simulated_gpus copy = settings;
  r.wanted.simulated = std::move(copy);
  if (changes) r.gpus.reset();
  for (variable v :
       {variable::simulated_gpus, variable::simulated_gpu_memory, variable::simulated_gpu_held})
    detail::override_variable(v, "set_simulated_gpus()");
} catch (...) { detail::rethrow_as_error(); }

// ---- visible devices

PLACEMENT_INLINE void set_visible_devices(std::vector<physical_device> const& devices,
                                          std::string_view type) try {
  auto const only = detail::kind_of(type);
  if (!only)
    throw invalid_argument("The device type " + detail::quote(type) + " is neither CPU nor GPU");
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_visible(r, devices, *only);
  if (*only == kind::cpu) return;
  std::vector<int> indexes;
  for (physical_device p : devices)
    if (p.id.is_gpu()) indexes.push_back(p.id.index);
  detail::set_visible_gpus(r, std::move(indexes));
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_visible_device_list(std::string_view indexes) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  int const count = static_cast<int>(detail::known_gpus(r).ordinals.size());
  detail::set_visible_gpus(r, visible_by_list(indexes, count));
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::vector<physical_device> visible_devices(std::string_view type) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  return detail::of_type(detail::visible_devices(r), type);
} catch (...) { detail::rethrow_as_error(); }

// ---- memory

PLACEMENT_INLINE void set_memory_growth(physical_device p, bool on_need) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot set memory growth on non-GPU devices: " + to_string(p));
  if (detail::growth_in_force(r, p.id.index) != on_need)
    detail::throw_if_initialized("Physical devices cannot be modified");
  if (is_initialized()) return;
  detail::gpu_to_set(r, p).growth = on_need;
  detail::override_variable(variable::force_gpu_allow_growth, "set_memory_growth()");
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE bool memory_growth(physical_device p) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot query memory growth on non-GPU devices: " + to_string(p));
  return detail::growth_in_force(r, p.id.index);
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_memory_growth_steps(physical_device p, growth_steps steps) try {
  bool const grows = steps.factor >= 1.1 && steps.factor <= 1024;  // false for NaN
  if (steps.start_bytes == 0 || !grows)
    throw invalid_argument(
        "Memory grows from a start above 0 by a factor from 1.1 to 1024, not from " +
        std::to_string(steps.start_bytes) + " bytes by " + detail::text_of_number(steps.factor));
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot set memory growth on non-GPU devices: " + to_string(p));
  if (detail::settings_of_gpu(r, p.id.index).steps == steps) return;
  detail::throw_if_initialized("Physical devices cannot be modified");
  detail::gpu_to_set(r, p).steps = steps;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_memory_stream_ordered(physical_device p, bool on) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Memory of non-GPU devices is not stream ordered: " + to_string(p));
  if (detail::settings_of_gpu(r, p.id.index).stream_ordered == on) return;
  detail::throw_if_initialized("Physical devices cannot be modified");
  detail::gpu_to_set(r, p).stream_ordered = on;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_memory_fraction(double share) try {
  detail::check_fraction(share);
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  if (r.wanted.fraction == share) return;
  detail::throw_if_initialized("Physical devices cannot be modified");
  r.wanted.fraction = share;
} catch (...) { detail::rethrow_as_error(); }
PLACEMENT_INLINE void set_per_process_gpu_memory_fraction(double share) {
  set_memory_fraction(share);
}

PLACEMENT_INLINE void set_memory_fraction(physical_device p, double share) try {
  detail::check_fraction(share);
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot set a memory fraction on non-GPU devices: " + to_string(p));
  if (detail::settings_of_gpu(r, p.id.index).fraction == share) return;
  detail::throw_if_initialized("Physical devices cannot be modified");
  detail::gpu_to_set(r, p).fraction = share;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE double memory_fraction() {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  return r.wanted.fraction.value_or(0);
}

// ---- logical devices

PLACEMENT_INLINE void set_logical_device_configuration(
    physical_device p, std::vector<logical_device_configuration> const& parts) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (p.id.is_gpu()) {
    std::vector<std::size_t> limits;
    limits.reserve(parts.size());
    for (auto const& part : parts) limits.push_back(detail::mib_as_bytes(part.memory_limit_mib));
    return detail::set_gpu_limits(r, p, std::move(limits));
  }
  for (auto const& part : parts)
    if (part.memory_limit_mib != 0)
      throw invalid_argument(
          "Setting memory limit on CPU virtual devices is currently not supported");
  detail::set_cpu_parts(r, parts.empty() ? 1 : parts.size());
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_logical_device_limits(physical_device p,
                                                std::vector<std::size_t> limits_bytes) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument(
        "Setting memory limit on CPU virtual devices is currently not supported");
  detail::set_gpu_limits(r, p, std::move(limits_bytes));
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::vector<std::size_t> logical_device_limits(physical_device p) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  detail::check_known(r, p);
  return p.id.is_gpu() ? detail::settings_of_gpu(r, p.id.index).part_limits
                       : std::vector<std::size_t>{};
} catch (...) { detail::rethrow_as_error(); }

// ---- threads

PLACEMENT_INLINE int intra_op_threads() try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  return r.wanted.intra_op_threads.value_or(environment_variables().intra_op_threads.value_or(0));
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE int inter_op_threads() try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  return r.wanted.inter_op_threads.value_or(environment_variables().inter_op_threads.value_or(0));
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_intra_op_threads(int count) try {
  detail::check_threads(count);
  if (intra_op_threads() == count) return;
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  if (is_initialized())
    throw invalid_argument("Intra op parallelism cannot be modified after initialization.");
  r.wanted.intra_op_threads = count;
  detail::override_variable(variable::intra_op_threads, "set_intra_op_threads()");
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_inter_op_threads(int count) try {
  detail::check_threads(count);
  if (inter_op_threads() == count) return;
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  if (is_initialized())
    throw invalid_argument("Inter op parallelism cannot be modified after initialization.");
  r.wanted.inter_op_threads = count;
  detail::override_variable(variable::inter_op_threads, "set_inter_op_threads()");
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
