#pragma once
/// Operations on device names: canonical form, relations and merges.

#include <placement/device/name.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The canonical form: `job`, replica, task, device. Unset parts are left out, and a type without
/// an index prints ":*". Parsing it returns the same name, unless the parts were filled in by hand
/// and are invalid.
constexpr std::string to_string(device_name const& name) {
  std::string text;
  detail::append_name(text, name);
  return text;
}

/// Whether `more` has all parts of `less`, with the same values: "/GPU:*" is a specification of
/// "/GPU:1".
constexpr bool is_specification(device_name const& less, device_name const& more) noexcept {
  return (!less.has_job() || less.job == more.job) &&
         (!less.has_replica() || less.replica == more.replica) &&
         (!less.has_task() || less.task == more.task) &&
         (!less.has_type() || less.type == more.type) &&
         (!less.has_index() || less.index == more.index);
}

/// Whether one device could have both names: no part has two values.
constexpr bool is_compatible(device_name const& a, device_name const& b) noexcept {
  return (!a.has_job() || !b.has_job() || a.job == b.job) &&
         (!a.has_replica() || !b.has_replica() || a.replica == b.replica) &&
         (!a.has_task() || !b.has_task() || a.task == b.task) &&
         (!a.has_type() || !b.has_type() || a.type == b.type) &&
         (!a.has_index() || !b.has_index() || a.index == b.index);
}

/// Whether both names have the same `job`, replica and task, all of them set.
constexpr bool same_address_space(device_name const& a, device_name const& b) noexcept {
  return a.has_job() && a.has_replica() && a.has_task() && a.job == b.job &&
         a.replica == b.replica && a.task == b.task;
}

namespace detail {

/// How a merge handles two names with different types or different indexes.
enum class on_clash { refuse, drop, take_other };

[[noreturn]] void throw_clash(std::string_view parts, device_name const& a, device_name const& b);

/// `a` with unset `job`, replica and task taken from `b`. A clash of these always throws.
constexpr device_name merge_task(device_name const& a, device_name const& b) {
  if (a.has_job() && b.has_job() && a.job != b.job) throw_clash("jobs", a, b);
  if (a.has_replica() && b.has_replica() && a.replica != b.replica) throw_clash("replicas", a, b);
  if (a.has_task() && b.has_task() && a.task != b.task) throw_clash("tasks", a, b);
  device_name merged = a;
  if (!merged.has_job()) merged.job = b.job;
  if (!merged.has_replica()) merged.replica = b.replica;
  if (!merged.has_task()) merged.task = b.task;
  return merged;
}

constexpr device_name merge(device_name const& a, device_name const& b, on_clash rule) {
  device_name merged = merge_task(a, b);
  if (a.has_type() && b.has_type() && a.type != b.type) {
    if (rule == on_clash::refuse) throw_clash("types", a, b);
    if (rule == on_clash::drop) {
      merged.type = {};
      merged.index = device_name::unset;
      return merged;
    }
  }
  if (b.has_type()) merged.type = b.type;
  if (a.has_index() && b.has_index() && a.index != b.index) {
    if (rule == on_clash::refuse) throw_clash("ids", a, b);
    merged.index = rule == on_clash::drop ? device_name::unset : b.index;
    return merged;
  }
  if (b.has_index()) merged.index = b.index;
  return merged;
}

}  // namespace detail

/// Both names merged. Throws: invalid_argument for a clash, naming the part and both names.
constexpr device_name merge_strict(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::refuse);
}

/// Both names merged. A type clash drops type and index; an index clash drops the index.
/// Throws: invalid_argument for a clash of `job`, replica or task.
constexpr device_name merge_soft(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::drop);
}

/// Both names merged; type and index of `b` win. Throws: invalid_argument for a clash of `job`,
/// replica or task.
constexpr device_name merge_override(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::take_other);
}

/// `a`, with its unset parts taken from `b`.
constexpr device_name merge_unset(device_name const& a, device_name const& b) noexcept {
  return {a.has_job() ? a.job : b.job, a.has_replica() ? a.replica : b.replica,
          a.has_task() ? a.task : b.task, a.has_type() ? a.type : b.type,
          a.has_index() ? a.index : b.index};
}

/// The name in force in a nested scope. Parts of the inner name override the outer ones, and a
/// different inner type resets the index. "/device:CPU" inside "/GPU:1" is "/device:CPU:*";
/// "/device:GPU" inside "/GPU:1" is "/device:GPU:1". An empty inner name changes nothing.
constexpr device_name nest(device_name const& outer, device_name const& inner) noexcept {
  device_name merged = merge_unset(inner, outer);
  if (inner.has_type() && inner.type != outer.type) merged.index = inner.index;
  return merged;
}

}}  // namespace placement::v0_1
