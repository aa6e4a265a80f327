#pragma once
/// What device names are to each other: their canonical form, relations and merges.

#include <placement/device/name.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement::inline v0_1 {

/// The canonical form: job, replica, task, device; what is not said is left out, and a type without
/// an index prints ":*". Parsing it gives the same name again, unless parts were made by hand that
/// no name can have.
constexpr std::string to_string(device_name const& name) {
  std::string text;
  detail::append_name(text, name);
  return text;
}

/// Whether `more` says all that `less` says, and the same: "/GPU:*" is a specification of "/GPU:1".
constexpr bool is_specification(device_name const& less, device_name const& more) noexcept {
  return (!less.has_job() || less.job == more.job) &&
         (!less.has_replica() || less.replica == more.replica) &&
         (!less.has_task() || less.task == more.task) &&
         (!less.has_type() || less.type == more.type) &&
         (!less.has_index() || less.index == more.index);
}

/// Whether one device could have both names: no part is said differently.
constexpr bool is_compatible(device_name const& a, device_name const& b) noexcept {
  return (!a.has_job() || !b.has_job() || a.job == b.job) &&
         (!a.has_replica() || !b.has_replica() || a.replica == b.replica) &&
         (!a.has_task() || !b.has_task() || a.task == b.task) &&
         (!a.has_type() || !b.has_type() || a.type == b.type) &&
         (!a.has_index() || !b.has_index() || a.index == b.index);
}

/// Whether both names say job, replica and task, and the same ones.
constexpr bool same_address_space(device_name const& a, device_name const& b) noexcept {
  return a.has_job() && a.has_replica() && a.has_task() && a.job == b.job &&
         a.replica == b.replica && a.task == b.task;
}

namespace detail {

/// What a merge does when both names say a type, or an index, and not the same.
enum class on_clash { refuse, drop, take_other };

template <class Once = void>
[[noreturn]] void throw_clash(std::string_view parts, device_name const& a, device_name const& b);

/// `a` with the job, replica and task of `b` filled in; these never give way.
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

/// Both names together. Throws: invalid_argument naming the part and both names where they clash.
constexpr device_name merge_strict(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::refuse);
}

/// Both names together; a type clash drops type and index, an index clash drops the index.
/// Throws: invalid_argument if job, replica or task clash.
constexpr device_name merge_soft(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::drop);
}

/// Both names together; the type and the index of `b` win.
/// Throws: invalid_argument if job, replica or task clash.
constexpr device_name merge_override(device_name const& a, device_name const& b) {
  return detail::merge(a, b, detail::on_clash::take_other);
}

/// `a`, with what it leaves unsaid taken from `b`.
constexpr device_name merge_unset(device_name const& a, device_name const& b) noexcept {
  return {a.has_job() ? a.job : b.job, a.has_replica() ? a.replica : b.replica,
          a.has_task() ? a.task : b.task, a.has_type() ? a.type : b.type,
          a.has_index() ? a.index : b.index};
}

/// The name in force inside nested scopes: inner wins part by part, and an inner type that is
/// another one resets the index: "/GPU:1" around "/device:CPU" is "/device:CPU:*", around
/// "/device:GPU" it stays "/device:GPU:1". An inner name that says nothing changes nothing.
constexpr device_name nest(device_name const& outer, device_name const& inner) noexcept {
  device_name merged = merge_unset(inner, outer);
  if (inner.has_type() && inner.type != outer.type) merged.index = inner.index;
  return merged;
}

}  // namespace placement::inline v0_1
