#pragma once
/// A device as a value: a kind and an index. It may name a device that does not exist; only its use
/// fails.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The kind of processor. `any`: unspecified.
enum class kind : short { any, cpu, gpu };

/// An unspecified index, as in `/device:GPU:*`.
inline constexpr int any_index = -1;

/// In place of a task's number. every_task: this process's device, in each task of the program.
/// per_task: the same, for elements that differ between the tasks.
inline constexpr int every_task = -1, per_task = -2;

/// A logical device of this process: `device{kind::gpu, 1}` is GPU:1. With the number of a task it
/// is a device of that task: `device{kind::gpu, 1, 3}`. The constructor checks nothing.
struct device {
  kind type;
  short task;
  int index;

  constexpr device(kind k = kind::any, int i = any_index, int t = every_task) noexcept
      : type(k), task(static_cast<short>(t)), index(i) {}

  friend constexpr bool operator==(device a, device b) noexcept {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
  constexpr bool has_value() const noexcept { return type != kind::any; }
  /// Whether it is a CPU or a GPU of this process, of which each task has one.
  constexpr bool is_cpu() const noexcept { return type == kind::cpu && task == every_task; }
  constexpr bool is_gpu() const noexcept { return type == kind::gpu && task == every_task; }
  /// Whether it belongs to one task, or stands for the different elements of all tasks.
  constexpr bool has_task() const noexcept { return task != every_task; }
  /// The same kind and index in this process.
  constexpr device local() const noexcept { return {type, index}; }
};
static_assert(sizeof(device) == 8);

inline constexpr device cpu0{kind::cpu, 0};
inline constexpr device gpu0{kind::gpu, 0}, gpu1{kind::gpu, 1}, gpu2{kind::gpu, 2},
    gpu3{kind::gpu, 3}, gpu4{kind::gpu, 4}, gpu5{kind::gpu, 5}, gpu6{kind::gpu, 6},
    gpu7{kind::gpu, 7};

/// "CPU", "GPU", or "*" for an unspecified kind.
constexpr std::string_view to_string(kind k) noexcept {
  return k == kind::cpu ? "CPU" : k == kind::gpu ? "GPU" : "*";
}

/// The short form: "/GPU:1"; "/GPU:*" without an index, "" for no device. With a task the full
/// form: "/job:worker/task:3/device:GPU:1".
std::string to_string(device d);

}}  // namespace placement::v0_1
