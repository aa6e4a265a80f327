#pragma once
/// A device name in 32 bits, as scopes, nodes and tensors store it. It is copied, stored and
/// compared as an int.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/name.hpp>
#include <placement/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

class device_spec;

namespace detail {
/// nest() if a device spec is not local. Out of line, so that nesting of local specs is
/// inlined bit operations.
[[gnu::cold]] device_spec nested_names(device_spec outer, device_spec inner);
}  // namespace detail

/// An interned device name. The default is empty: no part is given.
///
/// Encoding, local form (bit 31 = 0):
/// - bits 27-28: kind (0 unspecified, 1 CPU, 2 GPU)
/// - bits 24-26: whether `/job:localhost`, replica 0 and task 0 were given
/// - bits 0-23: index + 1 (0 = unspecified)
///
/// Interned form (bit 31 = 1, bit 28 = 0): bits 0-14 are the number of an entry in the process's
/// table.
/// Form of a task's device (bits 31 and 28 = 1):
/// - bits 26-27: kind, bits 12-25: the number of the task, bits 0-11: index + 1
/// Bit 29: absolute, see is_absolute(). Bit 30: see has_rule(). Thread: safe. No member takes a
/// lock.
class device_spec {
 public:
  constexpr device_spec() noexcept = default;

  /// The spec of a device of this process or of a task. Throws: invalid_argument for an index below
  /// -1.
  constexpr device_spec(device d) : bits_(of_device(d)) {}

  /// The spec of a name. `/job:localhost`, replica 0 and task 0 name this process, as omitted parts
  /// do. Throws: invalid_argument for invalid parts, or if the table is full.
  static constexpr device_spec of(device_name const& name);

  /// The spec of a scope with no preference: absolute, with no part given. An absolute spec is not
  /// merged with those of outer scopes.
  static constexpr device_spec no_preference() noexcept { return from_bits(absolute_bit); }
  constexpr bool is_absolute() const noexcept { return (bits_ & absolute_bit) != 0; }
  /// The same name without the absolute bit, to be merged like any other.
  constexpr device_spec relative() const noexcept { return from_bits(bits_ & ~absolute_bit); }

  /// The spec of a scope whose parts a rule gives for each op, and whether a merged spec has parts
  /// of such a scope.
  static constexpr device_spec by_rule() noexcept { return from_bits(rule_bit); }
  constexpr bool has_rule() const noexcept { return (bits_ & rule_bit) != 0; }
  constexpr device_spec without_rule() const noexcept { return from_bits(bits_ & ~rule_bit); }

  /// Whether any part is given, or the spec is absolute.
  constexpr bool has_value() const noexcept { return bits_ != 0; }

  /// Whether the spec has the local form: no part, or a CPU or GPU of this process, with or without
  /// an index.
  constexpr bool is_local() const noexcept { return (bits_ & interned_bit) == 0; }

  /// Whether the spec names one CPU or GPU of this process by kind and index. Such a spec needs no
  /// merge.
  constexpr bool is_one_device() const noexcept {
    return (bits_ & (interned_bit | rule_bit)) == 0 && (bits_ & kind_mask) != 0 &&
           (bits_ & index_mask) != 0;
  }

  /// Whether `job`, replica or task is given and not this process's.
  constexpr bool is_of_another_task() const { return !is_local() && !detail::is_this_task(name()); }

  /// Whether a program of several tasks looks for the spec's task: it is of another task, or gives
  /// task 0 without `/job:localhost`.
  constexpr bool names_task() const {
    return is_local() ? (bits_ & (job_bit | task_bit)) == task_bit : is_of_another_task();
  }
  /// Whether the spec gives its task by the number in the program, and that number.
  constexpr bool has_task_number() const noexcept {
    return (bits_ & (interned_bit | task_form_bit)) == (interned_bit | task_form_bit);
  }
  constexpr int task_number() const noexcept {
    return static_cast<int>(bits_ >> task_shift & largest_task);
  }
  /// The spec without `job`, replica and task.
  constexpr device_spec without_task() const {
    if (is_local()) return from_bits(bits_ & ~process_mask);
    if (has_task_number()) return device_of_task().local();
    device_name n = name();
    n.job = {};
    n.replica = n.task = device_name::unset;
    return of(n);
  }

  /// The requested device: kind::any without a kind, any_index without an index. kind::any if the
  /// spec is not local.
  constexpr device local_device() const noexcept {
    if (!is_local() || (bits_ & kind_mask) == 0) return {};
    return {(bits_ & kind_mask) == cpu_bits ? kind::cpu : kind::gpu,
            static_cast<int>(bits_ & index_mask) - 1};
  }

  /// The parts of the name. Their texts live as long as the process.
  constexpr device_name name() const;

  /// The encoding, and the spec of an encoding.
  constexpr std::uint32_t bits() const noexcept { return bits_; }
  static constexpr device_spec from_bits(std::uint32_t bits) noexcept {
    device_spec w;
    w.bits_ = bits;
    return w;
  }

  friend constexpr bool operator==(device_spec, device_spec) = default;

  /// The spec in force in a nested scope. Parts of the inner spec override the outer ones, and a
  /// different inner type resets the index. An empty inner spec changes nothing; an absolute one
  /// hides the outer spec. Cost: bit operations only, if both are local.
  friend constexpr device_spec nest(device_spec outer, device_spec inner) {
    if (((outer.bits_ | inner.bits_) & (interned_bit | absolute_bit | rule_bit)) != 0) [[unlikely]]
      return std::is_constant_evaluated() ? nested_constants(outer, inner)
                                          : detail::nested_names(outer, inner);
    bool const resets_device =
        (inner.bits_ & kind_mask) != 0 &&
        ((inner.bits_ & index_mask) != 0 || ((inner.bits_ ^ outer.bits_) & kind_mask) != 0);
    return from_bits(inner.bits_ | (outer.bits_ & (resets_device ? process_mask : ~0u)));
  }

  /// Whether the device fits the local form.
  static constexpr bool has_local_form(device d) noexcept {
    return d.task < 0 &&
           (!d.has_value() || (d.index >= any_index && d.index <= largest_local_index));
  }
  /// Whether the spec of the device is a constant. Other devices are interned, which is possible at
  /// run time only.
  static constexpr bool has_constant_form(device d) noexcept {
    return d.task >= 0 ? d.task <= static_cast<int>(largest_task) && d.index >= any_index &&
                             d.index <= largest_index_of_task
                       : has_local_form(d);
  }

 private:
  /// nest() of specs with a task's number, as a constant.
  static constexpr device_spec nested_constants(device_spec outer, device_spec inner) {
    device const o = outer.has_task_number() ? outer.device_of_task() : outer.local_device();
    device d = inner.has_task_number() ? inner.device_of_task() : inner.local_device();
    if (d.task == every_task) d.task = o.task;
    if (!d.has_value()) d.type = o.type;
    if (d.index == any_index && d.type == o.type) d.index = o.index;
    return d;
  }
  /// The device of a spec with a task's number.
  constexpr device device_of_task() const noexcept {
    return {static_cast<kind>(bits_ >> kind_of_task_shift & 3),
            static_cast<int>(bits_ & index_of_task_mask) - 1, task_number()};
  }

  static constexpr std::uint32_t interned_bit = 1u << 31, absolute_bit = 1u << 29,
                                 rule_bit = 1u << 30;
  static constexpr std::uint32_t number_mask = (1u << 15) - 1;
  static constexpr std::uint32_t cpu_bits = 1u << 27, gpu_bits = 2u << 27, kind_mask = 3u << 27;
  static constexpr std::uint32_t job_bit = 1u << 24, replica_bit = 1u << 25, task_bit = 1u << 26;
  static constexpr std::uint32_t process_mask = job_bit | replica_bit | task_bit;
  static constexpr std::uint32_t index_mask = (1u << 24) - 1;
  static constexpr int largest_local_index = static_cast<int>(index_mask) - 1;
  static constexpr std::uint32_t task_form_bit = 1u << 28, index_of_task_mask = (1u << 12) - 1;
  static constexpr std::uint32_t largest_task = (1u << 14) - 1;
  static constexpr int task_shift = 12, kind_of_task_shift = 26;
  static constexpr int largest_index_of_task = static_cast<int>(index_of_task_mask) - 1;

  static constexpr std::uint32_t of_device(device d);
  static constexpr std::uint32_t local_bits(kind type, int index) noexcept {
    return (type == kind::cpu ? cpu_bits : gpu_bits) | static_cast<std::uint32_t>(index + 1);
  }

  std::uint32_t bits_ = 0;
};

namespace detail {

/// The number of a name in the process's table. Throws: invalid_argument for invalid parts, or if
/// the table is full.
std::uint32_t intern(device_name const& name);
device_name interned(std::uint32_t number);

/// The spec of a text in the full or the local form. Throws: invalid_argument for a text that is
/// not a device name.
device_spec parse_device_spec(std::string_view name);

}  // namespace detail

constexpr std::uint32_t device_spec::of_device(device d) {
  if (d.task >= 0 && has_constant_form(d))
    return interned_bit | task_form_bit | static_cast<std::uint32_t>(d.type) << kind_of_task_shift |
           static_cast<std::uint32_t>(d.task) << task_shift |
           static_cast<std::uint32_t>(d.index + 1);
  if (!d.has_value() && d.task < 0) return 0;
  if (has_local_form(d)) return local_bits(d.type, d.index);
  device_name name;
  if (d.task >= 0) name = detail::name_of_task(d.task);
  if (d.has_value()) name.type = to_string(d.type);
  name.index = d.index;
  return interned_bit | detail::intern(name);
}

constexpr device_spec device_spec::of(device_name const& name) {
  device_name canonical = name;
  canonical.type = detail::canonical_type(name.type);
  bool const known = canonical.type == "CPU" || canonical.type == "GPU" ||
                     (!canonical.has_type() && !canonical.has_index());
  if (!detail::is_this_task(name) || !known || name.index < any_index ||
      name.index > largest_local_index)
    return from_bits(interned_bit | detail::intern(canonical));
  std::uint32_t const process = (name.has_job() ? job_bit : 0) |
                                (name.has_replica() ? replica_bit : 0) |
                                (name.has_task() ? task_bit : 0);
  if (!canonical.has_type()) return from_bits(process);
  kind const type = canonical.type == "CPU" ? kind::cpu : kind::gpu;
  return from_bits(process | local_bits(type, name.index));
}

constexpr device_name device_spec::name() const {
  if (has_task_number()) {
    device const d = device_of_task();
    device_name n = detail::name_of_task(d.task);
    n.type = d.has_value() ? to_string(d.type) : std::string_view{};
    n.index = d.index;
    return n;
  }
  if (!is_local()) return detail::interned(bits_ & number_mask);
  device const d = local_device();
  return {.job = (bits_ & job_bit) != 0 ? "localhost" : "",
          .replica = (bits_ & replica_bit) != 0 ? 0 : device_name::unset,
          .task = (bits_ & task_bit) != 0 ? 0 : device_name::unset,
          .type = d.has_value() ? to_string(d.type) : std::string_view{},
          .index = d.index};
}

namespace detail {
/// The device spec of a tag. Unless the index is very large, the spec is a constant, also without
/// inlining.
template <class D> constexpr device_spec spec_of_tag() {
  if constexpr (device_spec::has_constant_form(D::value)) {
    constexpr device_spec constant{D::value};
    return constant;
  } else {
    return device_spec{D::value};
  }
}
}  // namespace detail

/// The text that users know: "/GPU:2" for a device of this process, else the canonical form,
/// "/job:worker/task:1/device:GPU:0". "" for an empty spec.
std::string to_string(device_spec w);

}}  // namespace placement::v0_1
