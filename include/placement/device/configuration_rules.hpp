#pragma once
/// The rules that the functions of configuration.hpp share: valid settings, and the time until they
/// may change.

#include <placement/device/device_setup.hpp>
#include <placement/device/registry.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/src/device/device.ipp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

inline void throw_if_initialized(std::string_view what) {
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

/// The kind that a type name means: kind::any for "", std::nullopt for unknown types.
constexpr std::optional<kind> kind_of(std::string_view type) noexcept {
  if (type.empty()) return kind::any;
  if (equal_ignoring_case(type, "cpu")) return kind::cpu;
  if (equal_ignoring_case(type, "gpu")) return kind::gpu;
  return std::nullopt;
}

template <class Device>
std::vector<Device> of_type(std::vector<Device> const& all, std::string_view type) {
  std::vector<Device> some;
  for (Device const& d : all)
    if (type.empty() || equal_ignoring_case(d.device_type(), type)) some.push_back(d);
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
  throw_if_initialized("Visible devices cannot be modified");
  r.wanted.visible_gpus = std::move(indexes);
}

/// The total memory of a GPU. Asks the device only if its description has no size. Units: bytes.
inline std::size_t memory_of_gpu(registry& r, physical_device p) {
  physical_gpus const& gpus = known_gpus(r);
  int const ordinal = gpus.ordinals[static_cast<std::size_t>(p.id.index)];
  std::size_t const described = gpus.owner->describe(ordinal).memory_bytes;
  return described != 0 ? described : gpus.owner->memory(ordinal).total;
}

/// Throws: invalid_argument unless each limit is above 0 and their sum fits into the GPU's memory.
/// Units: bytes.
inline void check_limits(registry& r, physical_device p, std::vector<std::size_t> const& limits) {
  std::size_t const total = memory_of_gpu(r, p);
  std::size_t left = total;
  for (std::size_t limit : limits) {
    if (limit == 0)
      throw invalid_argument("Setting memory limit is required for GPU virtual devices");
    if (limit > left)
      throw invalid_argument("The memory limits of the " + std::to_string(limits.size()) +
                             (limits.size() == 1 ? " logical device on " : " logical devices on ") +
                             p.name() + " are more than its " + std::to_string(total >> 20) +
                             " MiB");
    left -= limit;
  }
}

inline void set_gpu_limits(registry& r, physical_device p, std::vector<std::size_t> limits) {
  check_limits(r, p, limits);
  if (settings_of_gpu(r, p.id.index).part_limits == limits) return;
  throw_if_initialized("Virtual devices cannot be modified");
  gpu_to_set(r, p).part_limits = std::move(limits);
}

inline void set_cpu_parts(registry& r, std::size_t parts) {
  if (parts == r.wanted.cpu_parts) return;
  throw_if_initialized("Virtual devices cannot be modified");
  r.wanted.cpu_parts = parts;
}

/// MiB as bytes; a product that does not fit in size_t becomes the largest size_t.
constexpr std::size_t mib_as_bytes(std::size_t mib) noexcept {
  constexpr std::size_t max = ~std::size_t{0};
  return mib > max >> 20 ? max : mib << 20;
}

inline void check_threads(int count) {
  if (count < 0 || count > max_threads)
    throw invalid_argument("A number of threads is from 0 (as many as help) to " +
                           std::to_string(max_threads) + ", not " + std::to_string(count));
}

inline void check_fraction(double share) {
  bool const fits = share > 0 && share <= 1;  // false for NaN
  if (!fits)
    throw invalid_argument("A memory fraction is above 0 and at most 1, not " +
                           text_of_number(share));
}

inline bool gpus_configured(registry const& r) {
  return r.wanted.visible_gpus.has_value() || !r.wanted.gpus.empty();
}

inline void check_simulated(simulated_gpus const& s) {
  if (s.count < 0 || s.count > max_simulated_gpus)
    throw invalid_argument("There can be 0 to " + std::to_string(max_simulated_gpus) +
                           " simulated GPUs, not " + std::to_string(s.count));
  if (s.memory_bytes == 0) throw invalid_argument("A simulated GPU needs memory_bytes above 0");
}

}}}  // namespace placement::v0_1::detail
