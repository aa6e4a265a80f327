#pragma once
/// Definitions of registry.hpp: the devices of this process and how they become fixed.

#include <placement/config.hpp>
#include <placement/device/device_setup.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/registry.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/device.ipp>
#include <placement/src/device/device_spec.ipp>
#include <placement/src/device/fork.ipp>
#include <placement/src/device/notices.ipp>
#include <placement/src/device/task_table.ipp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The logical devices once they are fixed.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<device_lists*> fixed_devices{nullptr};

inline void close_queues(std::vector<logical_device> const& list, std::size_t count) noexcept {
  for (std::size_t i = 0; i != count; ++i) list[i].owner->close_queue(list[i].work);
}

/// Opens a queue on each device. If one fails, closes the queues opened before.
inline void open_queues(std::vector<logical_device>& list) {
  std::size_t opened = 0;
  try {
    for (; opened != list.size(); ++opened)
      list[opened].work = list[opened].owner->open_queue(list[opened].ordinal);
  } catch (...) {
    close_queues(list, opened);
    throw;
  }
}

inline void open_queues(device_lists& lists) {
  open_queues(lists.cpus);
  try {
    open_queues(lists.gpus);
  } catch (...) {
    close_queues(lists.cpus, lists.cpus.size());
    throw;
  }
}

/// Who closes the devices' queues at exit: the registry, or each device's pool once there are
/// pools.
enum class queue_end { by_registry, by_pools, done };
PLACEMENT_PROCESS_STATE inline constinit std::atomic<queue_end> end_of_queues{
    queue_end::by_registry};

/// Called at exit.
inline void close_unused_queues() noexcept {
  queue_end expected = queue_end::by_registry;
  if (!end_of_queues.compare_exchange_strong(expected, queue_end::done)) return;
  device_lists const& lists = *fixed_devices.load(std::memory_order_acquire);
  close_queues(lists.cpus, lists.cpus.size());
  if (!forked_from_gpus.load()) close_queues(lists.gpus, lists.gpus.size());
}

/// Whether CUDA_VISIBLE_DEVICES hides all GPUs.
inline bool environment_hides_all_gpus(registry& r) {
  if (!known_gpus(r).ordinals.empty()) return false;
  platform* const owner = gpu_owner(r);
  return owner != nullptr && owner->count() != 0;
}
inline std::string hidden_gpus_text(registry& r) {
  return "There is no visible GPU, because CUDA_VISIBLE_DEVICES=" +
         quote(environment_variables().cuda_visible_devices.value_or("")) + " leaves none of " +
         std::to_string(gpu_owner(r)->count()) + ". Unset it, or name one.";
}

/// Writes the warnings about the environment, once per process.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<bool> notices_are_written{false};
inline void write_notices() {
  if (notices_are_written.exchange(true)) return;
  std::string hidden;
  {
    registry& r = registry_of_process();
    lock_guard guard(r.guard);
    if (environment_hides_all_gpus(r)) hidden = hidden_gpus_text(r);
  }
  if (!hidden.empty()) log_notice("placement: " + hidden);
  write_misspelt_variables();
}

/// Fixes the devices. Strong guarantee.
inline device_lists const& fix_devices_under_lock() {
  registry& r = registry_of_process();
  lock_guard guard(r.guard);
  if (device_lists const* const fixed = fixed_devices.load(std::memory_order_acquire))
    return *fixed;
  device_lists plan = configured_devices(r);
  auto* const lists = new device_lists(std::move(plan));
  try {
    open_queues(*lists);
  } catch (...) {
    delete lists;
    throw;
  }
  fixed_devices.store(lists, std::memory_order_release);
  fixed_machine.publish(&lists->counts);
  install_fork_handlers();
  std::atexit(close_unused_queues);
  return *lists;
}
[[gnu::cold, gnu::noinline]] inline device_lists const& fix_devices() try {
  device_lists const& lists = fix_devices_under_lock();
  write_notices();
  return lists;
} catch (...) { rethrow_as_error(); }

/// The logical devices; the first call fixes them.
inline device_lists const& fixed() {
  device_lists const* const lists = fixed_devices.load(std::memory_order_acquire);
  return lists != nullptr ? *lists : fix_devices();
}

/// The logical devices as they are, or as they would be fixed by this call.
inline device_lists devices_now() {
  if (device_lists const* const lists = fixed_devices.load(std::memory_order_acquire))
    return *lists;
  registry& r = registry_of_process();
  lock_guard guard(r.guard);
  return configured_devices(r);
}

/// The index that users know a device by: the machine's own if it is known.
inline int machine_index(logical_device const& d) {
  int const index = d.owner->describe(d.ordinal).machine_index;
  return index >= 0 ? index : d.part_of.id.index;
}

/// Example: "/CPU:0, /GPU:0".
inline std::string names_of(device_lists const& lists) {
  std::string text;
  for (auto const* list : {&lists.cpus, &lists.gpus})
    for (logical_device const& d : *list) text += (text.empty() ? "" : ", ") + to_string(d.id);
  return text;
}

/// Example: "/GPU:0 is device 1, /GPU:1 is device 2". Empty if no number differs from the logical
/// one.
inline std::string numbering_of(device_lists const& lists) {
  std::string text;
  bool differs = false;
  for (logical_device const& d : lists.gpus) {
    int const index = machine_index(d);
    differs = differs || index != d.id.index;
    text += (text.empty() ? "" : ", ") + to_string(d.id) + " is device " + std::to_string(index);
  }
  return differs ? text : std::string();
}

/// Whether a platform of hardware GPUs is registered.
inline bool with_hardware() {
  registry& r = registry_of_process();
  lock_guard guard(r.guard);
  return r.hardware_owner != nullptr;
}

/// Why the devices include no GPU, as a sentence; empty if they include one.
inline std::string why_no_gpu_among(device_lists const& lists) {
  if (!lists.gpus.empty()) return {};
  registry& r = registry_of_process();
  lock_guard guard(r.guard);
  if (!known_gpus(r).ordinals.empty())
    return "There is no visible GPU, because this program made none of " +
           std::to_string(known_gpus(r).ordinals.size()) +
           " visible. Look for set_visible_devices or visible_gpus.";
  if (environment_hides_all_gpus(r)) return hidden_gpus_text(r);
  if (r.hardware_owner == nullptr)
    return "There is no GPU, because no file of this program was compiled with CUDA. Compile one "
           "with nvcc and link placement::cuda, or set PLACEMENT_SIMULATED_GPUS.";
  return r.hardware_owner->why_none();
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_unknown_device(
    device d, device_lists const& lists) try {
  std::string const requested =
      d.task >= 0     ? to_string(d)
      : d.has_value() ? "/job:localhost/replica:0/task:0/device:" + to_string(d).substr(1)
                      : "The empty device";
  std::string const numbering = numbering_of(lists);
  std::string const why = d.is_gpu() && with_hardware() ? why_no_gpu_among(lists) : std::string();
  throw placement_error(requested + " unknown device; available: " + names_of(lists) +
                        (numbering.empty() ? "" : " (" + numbering + ")") +
                        (why.empty() ? "" : ". " + why));
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE machine const& fix_machine() { return fix_devices().counts; }

PLACEMENT_INLINE void set_tasks_of_program(task_table const* table) {
  machine m = this_machine();
  m.tasks = table == nullptr ? 1 : table->size();
  // Other threads may still read the one before, so all of them stay.
  static std::vector<machine const*>& all = *new std::vector<machine const*>;
  machine const* with_tasks = nullptr;
  for (machine const* known : all)
    if (*known == m) with_tasks = known;
  if (with_tasks == nullptr) all.push_back(with_tasks = new machine(m));
  tasks_of_program.publish(table);
  fixed_machine.publish(with_tasks);
}

PLACEMENT_INLINE device device_here(std::string_view text) {
  device_spec const name = parse_device_spec(text);
  if (name.is_of_another_task()) throw placement_error(missing_task_text(name));
  if (!name.is_local())
    throw placement_error(to_string(name) +
                          " unknown device; available: " + names_of(devices_now()));
  return name.local_device();
}

}  // namespace detail

PLACEMENT_INLINE logical_device const& logical(device d) {
  detail::device_lists const& lists = detail::fixed();
  logical_device const* const found = lists.find(d);
  if (found == nullptr) detail::throw_unknown_device(d, lists);
  return *found;
}

PLACEMENT_INLINE std::string available_devices() try {
  return detail::names_of(detail::devices_now());
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string device_numbering() try {
  return detail::numbering_of(detail::devices_now());
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void set_current_device(device d) try {
  machine const* const fixed = detail::fixed_machine.load();
  if (d.has_value() && (fixed == nullptr || !fixed->has(d))) {
    detail::device_lists const lists = detail::devices_now();
    if (!lists.counts.has(d)) detail::throw_unknown_device(d, lists);
  }
  detail::device_of_thread = d;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE void register_gpu_platform(platform& p) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  platform*& place = p.simulated() ? r.simulated_owner : r.hardware_owner;
  if (place == &p) return;
  if (is_initialized())
    throw invalid_argument("GPU platforms cannot be added after being initialized");
  if (place != nullptr) throw invalid_argument("This process has another GPU platform already");
  place = &p;
  r.gpus.reset();
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
