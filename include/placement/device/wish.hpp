#pragma once
/// What a scope asks for, in 32 bits: a device name that can be copied, stored and compared as an
/// int.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/name.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace placement::inline v0_1 {

class wish;

namespace detail {
/// nest() where a wish is not local. Out of line, so that nesting local ones stays a few
/// instructions.
template <class Once = void> [[gnu::cold, gnu::noinline]] wish nested_names(wish outer, wish inner);
}  // namespace detail

/// An interned device name. The default says nothing.
///
/// Encoding: bit 31 = 0 is the local form: bits 27-28 kind (0 not said, 1 CPU, 2 GPU), bits 24-26
/// whether job localhost, replica 0, task 0 were said, bits 0-23 index + 1 (0 = not said). Bit 31 =
/// 1 is an entry of the process's table, its number in bits 0-14. Bits 29-30 are always zero.
/// Thread: safe. Nothing here takes a lock.
class wish {
 public:
  constexpr wish() noexcept = default;

  /// The wish for a device of this process. Throws: invalid_argument for an index below zero.
  constexpr wish(device d) : bits_(of_device(d)) {}

  /// The wish for a name. Job localhost, replica 0 and task 0 mean this process, as parts left out
  /// do. Throws: invalid_argument for parts that no name can have, or when the table is full.
  static constexpr wish of(device_name const& name);

  /// Whether anything is asked for.
  constexpr bool said() const noexcept { return bits_ != 0; }

  /// Whether it asks for a CPU or GPU of this process, one or any of them, or for nothing.
  constexpr bool is_local() const noexcept { return (bits_ & interned_bit) == 0; }

  /// The device asked for: kind::any if no kind was said, any_index if no index was, and
  /// kind::any for a wish that is not local.
  constexpr device local_device() const noexcept {
    if (!is_local() || (bits_ & kind_mask) == 0) return {};
    return {(bits_ & kind_mask) == cpu_bits ? kind::cpu : kind::gpu,
            static_cast<int>(bits_ & index_mask) - 1};
  }

  /// The parts; their texts live as long as the process.
  constexpr device_name name() const;

  /// The 32 bits, and a wish from them again.
  constexpr std::uint32_t bits() const noexcept { return bits_; }
  static constexpr wish from_bits(std::uint32_t bits) noexcept {
    wish w;
    w.bits_ = bits;
    return w;
  }

  friend constexpr bool operator==(wish, wish) = default;

  /// The wish in force inside nested scopes: inner wins part by part, and an inner type resets the
  /// index. An inner wish that says nothing changes nothing.
  /// Cost: a few instructions when both are local.
  friend constexpr wish nest(wish outer, wish inner) {
    if (((outer.bits_ | inner.bits_) & interned_bit) != 0) [[unlikely]]
      return detail::nested_names(outer, inner);
    bool const inner_device = (inner.bits_ & kind_mask) != 0;
    return from_bits(inner.bits_ | (outer.bits_ & (inner_device ? process_mask : ~0u)));
  }

 private:
  static constexpr std::uint32_t interned_bit = 1u << 31;
  static constexpr std::uint32_t cpu_bits = 1u << 27, gpu_bits = 2u << 27, kind_mask = 3u << 27;
  static constexpr std::uint32_t job_bit = 1u << 24, replica_bit = 1u << 25, task_bit = 1u << 26;
  static constexpr std::uint32_t process_mask = job_bit | replica_bit | task_bit;
  static constexpr std::uint32_t index_mask = (1u << 24) - 1;
  static constexpr int largest_local_index = static_cast<int>(index_mask) - 1;

  static constexpr std::uint32_t of_device(device d);
  static constexpr std::uint32_t local_bits(kind type, int index) noexcept {
    return (type == kind::cpu ? cpu_bits : gpu_bits) | static_cast<std::uint32_t>(index + 1);
  }

  std::uint32_t bits_ = 0;
};

namespace detail {

/// The number of a name in the process's table. Throws: invalid_argument for parts that no name can
/// have, or when the table is full.
template <class Once = void> std::uint32_t intern(device_name const& name);
template <class Once = void> device_name interned(std::uint32_t number);

/// The wish for a text. Throws: invalid_argument for one that is no device name.
template <class Once = void> wish wish_for(std::string_view name);

}  // namespace detail

constexpr std::uint32_t wish::of_device(device d) {
  if (!d.said()) return 0;
  if (d.index >= any_index && d.index <= largest_local_index) return local_bits(d.type, d.index);
  device_name name;
  name.type = to_string(d.type);
  name.index = d.index;
  return interned_bit | detail::intern(name);
}

constexpr wish wish::of(device_name const& name) {
  device_name canonical = name;
  canonical.type = detail::canonical_type(name.type);
  bool const this_process = (!name.has_job() || name.job == "localhost") &&
                            (!name.has_replica() || name.replica == 0) &&
                            (!name.has_task() || name.task == 0);
  bool const known = canonical.type == "CPU" || canonical.type == "GPU" ||
                     (!canonical.has_type() && !canonical.has_index());
  if (!this_process || !known || name.index < any_index || name.index > largest_local_index)
    return from_bits(interned_bit | detail::intern(canonical));
  std::uint32_t const process = (name.has_job() ? job_bit : 0) |
                                (name.has_replica() ? replica_bit : 0) |
                                (name.has_task() ? task_bit : 0);
  if (!canonical.has_type()) return from_bits(process);
  kind const type = canonical.type == "CPU" ? kind::cpu : kind::gpu;
  return from_bits(process | local_bits(type, name.index));
}

constexpr device_name wish::name() const {
  if (!is_local()) return detail::interned(bits_ & ~interned_bit);
  device const d = local_device();
  return {.job = (bits_ & job_bit) != 0 ? "localhost" : "",
          .replica = (bits_ & replica_bit) != 0 ? 0 : device_name::unset,
          .task = (bits_ & task_bit) != 0 ? 0 : device_name::unset,
          .type = d.said() ? to_string(d.type) : std::string_view{},
          .index = d.index};
}

/// The text a user knows it by: "/GPU:2" for a device of this process, else the canonical form,
/// "/job:worker/task:1/device:GPU:0"; "" if nothing is asked for.
template <class Once = void> std::string to_string(wish w);

}  // namespace placement::inline v0_1
