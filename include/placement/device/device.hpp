#pragma once
/// A device as a value: a kind and an index. It may name a device that does not exist; only its use
/// fails.

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The kind of processor. `any`: unspecified.
enum class kind : signed char { any, cpu, gpu };

/// An unspecified index, as in `/device:GPU:*`.
inline constexpr int any_index = -1;

/// A logical device of this process: `device{kind::gpu, 1}` is GPU:1. The constructor checks
/// nothing.
struct device {
  kind type = kind::any;
  int index = any_index;

  friend constexpr bool operator==(device, device) = default;
  constexpr bool has_value() const noexcept { return type != kind::any; }
  constexpr bool is_cpu() const noexcept { return type == kind::cpu; }
  constexpr bool is_gpu() const noexcept { return type == kind::gpu; }
};

inline constexpr device cpu0{kind::cpu, 0};
inline constexpr device gpu0{kind::gpu, 0}, gpu1{kind::gpu, 1}, gpu2{kind::gpu, 2},
    gpu3{kind::gpu, 3}, gpu4{kind::gpu, 4}, gpu5{kind::gpu, 5}, gpu6{kind::gpu, 6},
    gpu7{kind::gpu, 7};

/// "CPU", "GPU", or "*" for an unspecified kind.
constexpr std::string_view to_string(kind k) noexcept {
  return k == kind::cpu ? "CPU" : k == kind::gpu ? "GPU" : "*";
}

/// The short form: "/GPU:1"; "/GPU:*" without an index, "" for no device.
std::string to_string(device d);

}}  // namespace placement::v0_1
