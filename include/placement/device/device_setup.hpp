#pragma once
/// Computes this process's devices from the configuration in code, the environment and the machine.

#include <placement/config.hpp>
#include <placement/device/cpu.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/machine.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/simulated.hpp>
#include <placement/device/visibility.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/environment.ipp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The settings that code made for one GPU.
struct gpu_settings {
  std::optional<bool> growth;
  growth_steps steps;
  bool stream_ordered = false;
  std::optional<double> fraction;        ///< overrides that of all GPUs
  std::vector<std::size_t> part_limits;  ///< bytes of each part; empty = not split, no limit
};

/// The settings that code made.
struct configuration {
  std::optional<simulated_gpus> simulated;
  std::optional<std::vector<int>> visible_gpus;  ///< physical indexes, in logical order
  std::vector<gpu_settings> gpus;                ///< by physical index
  std::size_t cpu_parts = 1;
  std::optional<double> fraction;
  std::optional<int> intra_op_threads, inter_op_threads;
};

/// The GPUs that this process may see. A physical index is an index into `ordinals`.
struct physical_gpus {
  platform* owner = nullptr;
  std::vector<int> ordinals;
};

/// The logical devices, by index.
struct device_lists {
  std::vector<logical_device> cpus, gpus;
  machine counts;

  /// The device, or nullptr. An open index returns the first device of its kind.
  logical_device const* find(device d) const noexcept {
    if (!counts.has(d)) return nullptr;
    auto const index = static_cast<std::size_t>(d.index == any_index ? 0 : d.index);
    return d.is_cpu() ? &cpus[index] : &gpus[index];
  }
  logical_device* find(device d) noexcept {
    return const_cast<logical_device*>(static_cast<device_lists const*>(this)->find(d));
  }
};

/// The device state before the first use. Its lock guards all members.
struct registry {
  lock guard;
  configuration wanted;
  platform* hardware_owner = nullptr;         ///< registered
  platform* simulated_owner = nullptr;        ///< registered; takes precedence over built-in ones
  std::vector<simulated_platform*> built_in;  ///< the last one is in force, if any is
  std::optional<physical_gpus> gpus;          ///< empty until the first lookup
};

PLACEMENT_PROCESS_STATE inline registry& registry_of_process() {
  static registry& state = *new registry;
  return state;
}

/// The settings of simulated GPUs in force: from code if set there, else from the environment.
inline simulated_gpus simulated_in_force(registry const& r) {
  if (r.wanted.simulated) return *r.wanted.simulated;
  environment const& env = environment_variables();
  simulated_gpus all;
  all.count = env.simulated_gpus.value_or(0);
  all.memory_bytes = env.simulated_gpu_memory.value_or(all.memory_bytes);
  if (auto const& held = env.simulated_gpu_held; held && held->size() == 1)
    all.held_bytes = held->front();
  else if (held) all.held_bytes_of = *held;
  return all;
}

/// The platform of the GPUs; nullptr = none. Simulated GPUs replace hardware.
inline platform* gpu_owner(registry& r) {
  if (r.simulated_owner != nullptr) return r.simulated_owner;
  simulated_gpus const simulated = simulated_in_force(r);
  if (simulated.count == 0) return r.hardware_owner;
  if (!r.built_in.empty() && r.built_in.back()->settings() == simulated) return r.built_in.back();
  r.built_in.reserve(r.built_in.size() + 1);
  r.built_in.push_back(new simulated_platform(simulated));
  return r.built_in.back();
}

/// The devices of a platform that CUDA_VISIBLE_DEVICES leaves visible. For hardware CUDA itself has
/// applied the variable.
inline std::vector<int> seen_ordinals(platform& owner) {
  int const count = owner.count();
  auto const& filter = environment_variables().cuda_visible_devices;
  std::vector<std::string> uuids(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (!owner.simulated()) return visible_by_environment(std::nullopt, uuids);
  if (filter && filter->starts_with("GPU-"))
    for (std::size_t i = 0; i != uuids.size(); ++i)
      uuids[i] = owner.describe(static_cast<int>(i)).uuid;
  return visible_by_environment(filter, uuids);
}

/// The GPUs that this process may see, looked up once.
inline physical_gpus const& known_gpus(registry& r) {
  environment_variables();
  if (!r.gpus) {
    physical_gpus found{gpu_owner(r), {}};
    if (found.owner != nullptr) found.ordinals = seen_ordinals(*found.owner);
    r.gpus = std::move(found);
  }
  return *r.gpus;
}

inline std::vector<int> visible_gpus(registry& r) {
  if (r.wanted.visible_gpus) return *r.wanted.visible_gpus;
  return visible_by_list("", static_cast<int>(known_gpus(r).ordinals.size()));
}

/// The settings that code made for a GPU, or the defaults.
inline gpu_settings settings_of_gpu(registry const& r, int physical) {
  auto const index = static_cast<std::size_t>(physical);
  return index < r.wanted.gpus.size() ? r.wanted.gpus[index] : gpu_settings{};
}

inline bool growth_in_force(registry const& r, int physical) {
  auto const by_environment = environment_variables().force_gpu_allow_growth;
  return settings_of_gpu(r, physical).growth.value_or(by_environment.value_or(true));
}

/// Appends the logical devices of one visible GPU.
inline void append_gpu(registry& r, std::vector<logical_device>& list, int physical) {
  physical_gpus const& all = known_gpus(r);
  std::vector<std::size_t> limits = settings_of_gpu(r, physical).part_limits;
  if (limits.empty()) limits.push_back(0);
  for (std::size_t limit : limits) {
    logical_device part;
    part.id = {kind::gpu, static_cast<int>(list.size())};
    part.owner = all.owner;
    part.ordinal = all.ordinals[static_cast<std::size_t>(physical)];
    part.part_of = {{kind::gpu, physical}};
    part.memory_limit = limit;
    part.fraction = settings_of_gpu(r, physical).fraction.value_or(r.wanted.fraction.value_or(0));
    part.growth = growth_in_force(r, physical);
    part.steps = settings_of_gpu(r, physical).steps;
    part.stream_ordered = settings_of_gpu(r, physical).stream_ordered;
    list.push_back(part);
  }
}

/// The logical devices of the CPU.
inline std::vector<logical_device> cpu_parts(std::size_t count) {
  std::vector<logical_device> parts(count);
  for (std::size_t i = 0; i != count; ++i) {
    parts[i].id = {kind::cpu, static_cast<int>(i)};
    parts[i].owner = &cpu_of_process();
    parts[i].part_of = {cpu0};
  }
  return parts;
}

/// The logical devices that the present configuration gives, without queues.
inline device_lists configured_devices(registry& r) {
  device_lists plan;
  plan.cpus = cpu_parts(r.wanted.cpu_parts);
  for (int physical : visible_gpus(r)) append_gpu(r, plan.gpus, physical);
  plan.counts.cpus = static_cast<int>(plan.cpus.size());
  plan.counts.gpus = static_cast<int>(plan.gpus.size());
  plan.counts.real = !plan.gpus.empty() && !plan.gpus.front().owner->simulated();
  return plan;
}

}}}  // namespace placement::v0_1::detail
