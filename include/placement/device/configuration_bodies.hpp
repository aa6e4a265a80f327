#pragma once
/// Bodies: the run-time configuration.

#include <placement/device/configuration.hpp>
#include <placement/device/device_bodies.hpp>
#include <placement/device/environment_bodies.hpp>
#include <placement/device/lock.hpp>
#include <placement/device/planning.hpp>
#include <placement/device/quoted.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/device/visibility.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement::inline v0_1 {

namespace detail {

inline void refuse_late(std::string_view what) {
  if (is_initialized()) throw invalid_argument(std::string(what) + " after being initialized");
}

inline std::vector<physical_device> physical_devices(registry& r) {
  std::vector<physical_device> all{{cpu0}};
  int const gpus = static_cast<int>(known_gpus(r).ordinals.size());
  for (int i = 0; i != gpus; ++i) all.push_back({{kind::gpu, i}});
  return all;
}

inline std::vector<physical_device> visible_devices(registry& r) {
  std::vector<physical_device> all{{cpu0}};
  for (int index : visible_gpus(r)) all.push_back({{kind::gpu, index}});
  return all;
}

inline bool contains(std::vector<physical_device> const& list, physical_device value) noexcept {
  std::size_t i = 0;
  while (i != list.size() && !(list[i] == value)) ++i;
  return i != list.size();
}

inline void check_known(registry& r, physical_device p) {
  auto const all = physical_devices(r);
  if (contains(all, p)) return;
  throw invalid_argument("Unrecognized device: " + to_string(p) + "; there are " + to_string(all));
}

/// The kind that a type's name means; kind::any for "", nothing for other types.
constexpr std::optional<kind> kind_of(std::string_view type) noexcept {
  if (type.empty()) return kind::any;
  if (same_word(type, "cpu")) return kind::cpu;
  if (same_word(type, "gpu")) return kind::gpu;
  return std::nullopt;
}

template <class Device>
std::vector<Device> of_type(std::vector<Device> const& all, std::string_view type) {
  std::vector<Device> some;
  for (Device const& d : all)
    if (type.empty() || same_word(d.device_type(), type)) some.push_back(d);
  return some;
}

/// The settings of a GPU, to be changed.
inline gpu_settings& gpu_to_set(registry& r, physical_device p) {
  auto const index = static_cast<std::size_t>(p.id.index);
  if (r.wanted.gpus.size() <= index) r.wanted.gpus.resize(index + 1);
  return r.wanted.gpus[index];
}

inline void check_visible(registry& r, std::vector<physical_device> const& list, kind only) {
  for (std::size_t i = 0; i != list.size(); ++i) {
    check_known(r, list[i]);
    if (only != kind::any && list[i].id.type != only)
      throw invalid_argument("Unrecognized device: " + to_string(list[i]) + " is not of type " +
                             std::string(to_string(only)));
    for (std::size_t j = 0; j != i; ++j)
      if (list[j] == list[i])
        throw invalid_argument("Duplicate visible device: " + to_string(list[i]));
  }
  if (only == kind::cpu && list.empty())
    throw invalid_argument(
        "The CPU cannot be hidden: constants, variables and ops without a GPU kernel live there");
}

/// Makes these GPUs the visible ones.
inline void set_visible_gpus(registry& r, std::vector<int> indexes) {
  if (indexes == visible_gpus(r)) {
    if (!is_initialized()) r.wanted.visible_gpus = std::move(indexes);
    return;
  }
  refuse_late("Visible devices cannot be modified");
  r.wanted.visible_gpus = std::move(indexes);
}

/// All memory of a GPU, asked without using it where the platform tells. Units: bytes.
inline std::size_t memory_of_gpu(registry& r, physical_device p) {
  physical_gpus const& gpus = known_gpus(r);
  int const ordinal = gpus.ordinals[static_cast<std::size_t>(p.id.index)];
  std::size_t const described = gpus.owner->describe(ordinal).memory_bytes;
  return described != 0 ? described : gpus.owner->memory(ordinal).total;
}

/// The limits of the parts of a GPU, checked against its memory. Units: bytes.
inline void check_limits(registry& r, physical_device p, std::vector<std::size_t> const& limits) {
  std::size_t const total = memory_of_gpu(r, p);
  std::size_t left = total;
  for (std::size_t limit : limits) {
    if (limit == 0)
      throw invalid_argument("Setting memory limit is required for GPU virtual devices");
    if (limit > left)
      throw invalid_argument("The memory limits of the " + std::to_string(limits.size()) +
                             " logical devices on " + p.name() + " are more than its " +
                             std::to_string(total >> 20) + " MiB");
    left -= limit;
  }
}

inline void set_gpu_limits(registry& r, physical_device p, std::vector<std::size_t> limits) {
  check_limits(r, p, limits);
  if (settings_of_gpu(r, p.id.index).part_limits == limits) return;
  refuse_late("Virtual devices cannot be modified");
  gpu_to_set(r, p).part_limits = std::move(limits);
}

inline void set_cpu_parts(registry& r, std::size_t parts) {
  if (parts == r.wanted.cpu_parts) return;
  refuse_late("Virtual devices cannot be modified");
  r.wanted.cpu_parts = parts;
}

/// MiB as bytes; what no size_t holds becomes the largest size.
constexpr std::size_t mib_as_bytes(std::size_t mib) noexcept {
  constexpr std::size_t most = ~std::size_t{0};
  return mib > most >> 20 ? most : mib << 20;
}

inline void check_threads(int count) {
  if (count < 0 || count > most_threads)
    throw invalid_argument("A number of threads is from 0 (as many as help) to " +
                           std::to_string(most_threads) + ", not " + std::to_string(count));
}

inline void check_fraction(double share) {
  bool const fits = share > 0 && share <= 1;  // false for NaN
  if (!fits)
    throw invalid_argument("A memory fraction is above 0 and at most 1, not " +
                           std::to_string(share));
}

inline bool gpus_configured(registry const& r) {
  return r.wanted.visible_gpus.has_value() || !r.wanted.gpus.empty();
}

inline void check_simulated(simulated_gpus const& s) {
  if (s.count < 0 || s.count > most_simulated_gpus)
    throw invalid_argument("There can be 0 to " + std::to_string(most_simulated_gpus) +
                           " simulated GPUs, not " + std::to_string(s.count));
  if (s.memory_bytes == 0) throw invalid_argument("A simulated GPU needs memory_bytes above 0");
}

}  // namespace detail

// ---- which GPUs there are

template <class Once> void set_simulated_gpus(simulated_gpus const& settings) {
  detail::check_simulated(settings);
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  bool const changes = !(detail::simulated_in_force(r) == settings);
  if (changes) {
    detail::refuse_late("Simulated GPUs cannot be modified");
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
}

// ---- which devices are visible

template <class Once>
void set_visible_devices(std::vector<physical_device> const& devices, std::string_view type) {
  auto const only = detail::kind_of(type);
  if (!only)
    throw invalid_argument("The device type " + detail::quoted(type) + " is neither CPU nor GPU");
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_visible(r, devices, *only);
  if (*only == kind::cpu) return;
  std::vector<int> indexes;
  for (physical_device p : devices)
    if (p.id.is_gpu()) indexes.push_back(p.id.index);
  detail::set_visible_gpus(r, std::move(indexes));
}

template <class Once> void set_visible_device_list(std::string_view indexes) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  int const count = static_cast<int>(detail::known_gpus(r).ordinals.size());
  detail::set_visible_gpus(r, visible_by_list(indexes, count));
}

template <class Once> std::vector<physical_device> visible_devices(std::string_view type) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  return detail::of_type(detail::visible_devices(r), type);
}

// ---- memory

template <class Once> void set_memory_growth(physical_device p, bool on_need) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot set memory growth on non-GPU devices: " + to_string(p));
  if (detail::growth_in_force(r, p.id.index) != on_need)
    detail::refuse_late("Physical devices cannot be modified");
  if (is_initialized()) return;
  detail::gpu_to_set(r, p).growth = on_need;
  detail::override_variable(variable::force_gpu_allow_growth, "set_memory_growth()");
}

template <class Once> bool memory_growth(physical_device p) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot query memory growth on non-GPU devices: " + to_string(p));
  return detail::growth_in_force(r, p.id.index);
}

template <class Once> void set_memory_growth_steps(physical_device p, growth_steps steps) {
  bool const grows = steps.factor >= 1.1 && steps.factor <= 1024;  // false for NaN
  if (steps.start_bytes == 0 || !grows)
    throw invalid_argument(
        "Memory grows from a start above 0 by a factor from 1.1 to 1024, not from " +
        std::to_string(steps.start_bytes) + " bytes by " + std::to_string(steps.factor));
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot set memory growth on non-GPU devices: " + to_string(p));
  if (detail::settings_of_gpu(r, p.id.index).steps == steps) return;
  detail::refuse_late("Physical devices cannot be modified");
  detail::gpu_to_set(r, p).steps = steps;
}

template <class Once> void set_memory_fraction(double share) {
  detail::check_fraction(share);
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  if (r.wanted.fraction == share) return;
  detail::refuse_late("Physical devices cannot be modified");
  r.wanted.fraction = share;
}
template <class Once> void set_per_process_gpu_memory_fraction(double share) {
  set_memory_fraction(share);
}

template <class Once> void set_memory_fraction(physical_device p, double share) {
  detail::check_fraction(share);
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument("Cannot set a memory fraction on non-GPU devices: " + to_string(p));
  if (detail::settings_of_gpu(r, p.id.index).fraction == share) return;
  detail::refuse_late("Physical devices cannot be modified");
  detail::gpu_to_set(r, p).fraction = share;
}

template <class Once> double memory_fraction() {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  return r.wanted.fraction.value_or(0);
}

// ---- logical devices

template <class Once>
void set_logical_device_configuration(physical_device p,
                                      std::vector<logical_device_configuration> const& parts) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
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
}

template <class Once>
void set_logical_device_limits(physical_device p, std::vector<std::size_t> limits_bytes) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_known(r, p);
  if (!p.id.is_gpu())
    throw invalid_argument(
        "Setting memory limit on CPU virtual devices is currently not supported");
  detail::set_gpu_limits(r, p, std::move(limits_bytes));
}

template <class Once> std::vector<std::size_t> logical_device_limits(physical_device p) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  detail::check_known(r, p);
  return p.id.is_gpu() ? detail::settings_of_gpu(r, p.id.index).part_limits
                       : std::vector<std::size_t>{};
}

// ---- threads

template <class Once> int intra_op_threads() {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  return r.wanted.intra_op_threads.value_or(environment_variables().intra_op_threads.value_or(0));
}

template <class Once> int inter_op_threads() {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  return r.wanted.inter_op_threads.value_or(environment_variables().inter_op_threads.value_or(0));
}

template <class Once> void set_intra_op_threads(int count) {
  detail::check_threads(count);
  if (intra_op_threads() == count) return;
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  if (is_initialized())
    throw invalid_argument("Intra op parallelism cannot be modified after initialization.");
  r.wanted.intra_op_threads = count;
  detail::override_variable(variable::intra_op_threads, "set_intra_op_threads()");
}

template <class Once> void set_inter_op_threads(int count) {
  detail::check_threads(count);
  if (inter_op_threads() == count) return;
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  if (is_initialized())
    throw invalid_argument("Inter op parallelism cannot be modified after initialization.");
  r.wanted.inter_op_threads = count;
  detail::override_variable(variable::inter_op_threads, "set_inter_op_threads()");
}

}  // namespace placement::inline v0_1
