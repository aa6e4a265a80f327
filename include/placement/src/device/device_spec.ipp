#pragma once
/// Definitions of device_spec.hpp: the process's table of device names.

#include <placement/config.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/names.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/src/device/device.ipp>
#include <placement/src/device/name.ipp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// An entry of the table. It owns the texts of its name.
struct interned_name {
  std::string job, type;
  device_name name;

  explicit interned_name(device_name const& from) : job(from.job), type(from.type), name(from) {
    name.job = job;
    name.type = type;
  }
  interned_name(interned_name const&) = delete;
  interned_name& operator=(interned_name const&) = delete;
  ~interned_name() = default;
};

/// All names without a local form: a hash table with open addressing. Entries are never removed, so
/// readers need no lock. The number of a name is its slot.
class name_table {
 public:
  static constexpr std::uint32_t slots = 1u << 15;
  static constexpr std::uint32_t max_names = slots / 2;

  /// The number of a name; a new name is inserted. Throws: invalid_argument if the table is full.
  std::uint32_t number_of(device_name const& name) {
    std::uint32_t slot = hash(name) % slots;
    for (;; slot = (slot + 1) % slots) {
      interned_name const* entry = entries_[slot].load(std::memory_order_acquire);
      if (entry == nullptr) entry = enter(slot, name);
      if (entry->name == name) return slot;
    }
  }

  device_name const& name_of(std::uint32_t number) const noexcept {
    return entries_[number % slots].load(std::memory_order_acquire)->name;
  }

 private:
  /// Inserts the name into an empty slot, or returns the entry that another thread inserted first.
  interned_name const* enter(std::uint32_t slot, device_name const& name) {
    if (used_.fetch_add(1, std::memory_order_relaxed) >= max_names) {
      used_.fetch_sub(1, std::memory_order_relaxed);
      throw invalid_argument("Too many different device names: this process has used " +
                             std::to_string(max_names) + " that are not its own CPUs and GPUs");
    }
    auto* const fresh = new_entry(name);
    interned_name const* there = nullptr;
    if (entries_[slot].compare_exchange_strong(there, fresh, std::memory_order_acq_rel))
      return fresh;
    delete fresh;
    used_.fetch_sub(1, std::memory_order_relaxed);
    return there;
  }

  interned_name* new_entry(device_name const& name) {
    try {
      return new interned_name(name);
    } catch (...) {
      used_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
  }

  static std::uint32_t hash(device_name const& name) noexcept {
    std::uint32_t h = 2166136261u;
    auto const mix = [&h](std::uint32_t value) { h = (h ^ value) * 16777619u; };
    for (char c : name.job) mix(static_cast<unsigned char>(c));
    mix(static_cast<std::uint32_t>(name.replica));
    mix(static_cast<std::uint32_t>(name.task));
    for (char c : name.type) mix(static_cast<unsigned char>(c));
    mix(static_cast<std::uint32_t>(name.index));
    return h ^ (h >> 15);
  }

  std::atomic<interned_name const*> entries_[slots]{};
  std::atomic<std::uint32_t> used_{0};
};

PLACEMENT_PROCESS_STATE inline name_table& names_of_process() {
  static name_table& table = *new name_table;
  return table;
}

/// Rejects what the parser rejects: parts that were filled in by hand can hold anything.
inline void check_parts(device_name const& name) {
  bool const numbers = name.replica >= device_name::unset && name.task >= device_name::unset &&
                       name.index >= device_name::unset;
  bool const words = (!name.has_job() || is_identifier(name.job)) &&
                     (!name.has_type() || is_identifier(name.type));
  bool const typed = name.has_type() || !name.has_index();
  if (!numbers || !words || !typed || canonical_length(name) > longest_device_name)
    throw invalid_argument("No device can have job " + quote(name.job) + ", replica " +
                           std::to_string(name.replica) + ", task " + std::to_string(name.task) +
                           ", type " + quote(name.type) + ", index " + std::to_string(name.index) +
                           ". A name such as /job:worker/task:1/device:GPU:0 can be parsed.");
}

PLACEMENT_INLINE std::uint32_t intern(device_name const& name) try {
  check_parts(name);
  return names_of_process().number_of(name);
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE device_name interned(std::uint32_t number) {
  return names_of_process().name_of(number);
}

PLACEMENT_INLINE device_spec nested_names(device_spec outer, device_spec inner) {
  if (inner.is_absolute()) return inner;
  if (outer.has_rule() || inner.has_rule()) {
    device_spec const names = nest(outer.without_rule(), inner.without_rule());
    return device_spec::from_bits(names.bits() | device_spec::by_rule().bits());
  }
  device_spec const merged = outer.is_local() && inner.is_local()
                                 ? nest(outer.relative(), inner)
                                 : device_spec::of(nest(outer.name(), inner.name()));
  return outer.is_absolute()
             ? device_spec::from_bits(merged.bits() | device_spec::no_preference().bits())
             : merged;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_pytorch_name(std::string_view name) {
  std::size_t const colon = name.find(':');
  std::string const index(colon == std::string_view::npos ? "0" : name.substr(colon + 1));
  throw invalid_argument(quote(name) + " is PyTorch's name of a GPU, not a device name here: " +
                         "write /gpu:" + index);
}

PLACEMENT_INLINE device_spec parse_device_spec(std::string_view name) try {
  if (name.empty() || name.starts_with('/')) return device_spec::of(parse_name(name));
  if (is_pytorch_gpu(name)) throw_pytorch_name(name);
  return device_spec::of(parse_local_name(name));
} catch (...) { rethrow_as_error(); }

/// Example: "no task /job:worker/task:1 in this program; tasks: /job:localhost/task:0".
inline std::string missing_task_text(device_spec w) {
  device_name task = w.name();
  bool const by_replica = task.has_replica() && task.replica != 0;
  task.type = {};
  task.index = device_name::unset;
  task_table const* const table = tasks_of_program.load();
  if (table == nullptr)
    return "no task " + to_string(task) + " in this program; tasks: " +
           (by_replica ? "/job:localhost/replica:0/task:0" : "/job:localhost/task:0");
  bool const is_several = table->find(task) == task_table::several;
  return (is_several ? "several jobs have a task " : "no task ") + to_string(task) +
         " in this program; tasks: " + task_names();
}

}  // namespace detail

PLACEMENT_INLINE std::string to_string(device_spec w) try {
  device_name const name = w.name();
  bool const short_form =
      w.is_local() && !name.has_job() && !name.has_replica() && !name.has_task();
  return short_form ? to_string(w.local_device()) : to_string(name);
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
