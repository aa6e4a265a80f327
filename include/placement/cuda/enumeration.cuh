#pragma once
/// Lists the GPUs that the driver shows. No context is created, so this works while a GPU's memory
/// is full.

#include <placement/cuda/driver.cuh>
#include <placement/device/platform.hpp>
#include <placement/device/visibility.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/runtime/parse.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace cuda {

/// A GPU, or a MIG instance of one, as the driver counts devices.
struct found_device {
  CUdevice handle = 0;
  hardware about;
};

/// The GPUs that this program can use, or the reason why there is none.
struct findings {
  std::vector<found_device> devices;
  std::string why_none;  ///< a sentence; empty if there is a device
};

/// The machine index of each visible device, by its index after CUDA_VISIBLE_DEVICES, which the
/// driver has already applied. -1 if the variable names a device other than by number.
inline std::vector<int> machine_indexes(std::optional<std::string> const& visible, int count) {
  std::vector<int> indexes;
  if (!visible) {
    for (int i = 0; i != count; ++i) indexes.push_back(i);
    return indexes;
  }
  placement::detail::comma_list list(*visible);
  for (int i = 0; i != count; ++i) {
    auto const entry = list.next();
    constexpr int any = std::numeric_limits<int>::max();
    indexes.push_back(entry ? placement::detail::leading_index(*entry, any).value_or(-1) : -1);
  }
  return indexes;
}

/// Whether a device can run code compiled for these architectures (900 is 9.0). The device must be
/// at least as new as one of them. An empty list matches every device.
inline bool runs_on(std::span<int const> architectures, hardware const& about) noexcept {
  int const here = about.capability_major * 100 + about.capability_minor * 10;
  for (int one : architectures)
    if (one <= here) return true;
  return architectures.empty();
}

/// "9.0" for 900.
inline std::string architecture_text(int one) {
  return std::to_string(one / 100) + "." + std::to_string(one % 100 / 10);
}

namespace detail {

/// "GPU-6c8f3a00-...": the form of CUDA_VISIBLE_DEVICES and nvidia-smi.
inline std::string uuid_text(std::string_view kind, CUuuid const& id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(kind);
  for (std::size_t i = 0; i != sizeof(id.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    auto const byte = static_cast<unsigned char>(id.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// "0000:0a:00.0": the driver writes capital letters, and other tools do not.
inline std::string in_small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Queries the driver about devices and keeps the first error.
class inquiry {
 public:
  explicit inquiry(driver const& api) : api_(api) {}

  std::string const& error() const noexcept { return error_; }

  template <class F, class... A> bool query(F const& function, A... arguments) {
    CUresult const code = function(arguments...);
    if (code == CUDA_SUCCESS) return true;
    if (error_.empty()) error_ = std::string(function.name()) + " failed: " + api_.text_of(code);
    return false;
  }

  /// The properties of a device; nullopt if a query fails.
  std::optional<found_device> look_at(int number, int machine_index) {
    found_device found;
    char name[256] = {}, bus[32] = {};
    CUuuid whole{}, own{};
    int major = 0, minor = 0;
    std::size_t bytes = 0;
    if (!query(api_.device, &found.handle, number) ||
        !query(api_.device_name, name, static_cast<int>(sizeof name), found.handle) ||
        !query(api_.pci_bus_id, bus, static_cast<int>(sizeof bus), found.handle) ||
        !query(api_.uuid_of_gpu, &whole, found.handle) || !query(api_.uuid, &own, found.handle) ||
        !query(api_.attribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
               found.handle) ||
        !query(api_.attribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
               found.handle) ||
        !query(api_.total_memory, &bytes, found.handle))
      return std::nullopt;
    bool const part = std::string_view(whole.bytes, sizeof whole.bytes) !=
                      std::string_view(own.bytes, sizeof own.bytes);
    found.about = {.name = name,
                   .pci_bus_id = in_small_letters(bus),
                   .uuid = uuid_text(part ? "MIG-" : "GPU-", own),
                   .capability_major = major,
                   .capability_minor = minor,
                   .machine_index = machine_index,
                   .driver_index = number,
                   .memory_bytes = bytes};
    return found;
  }

 private:
  driver const& api_;
  std::string error_;
};

inline findings none(std::string const& why) { return {{}, "There is no GPU, because " + why}; }

inline std::string none_visible(std::optional<std::string> const& visible) {
  if (!visible) return "the CUDA driver finds none on this machine. Look for it with nvidia-smi.";
  return "CUDA_VISIBLE_DEVICES=" + placement::detail::quote(*visible) +
         " leaves none visible. Unset it, or name one, as in CUDA_VISIBLE_DEVICES=0.";
}

inline std::string wrong_architecture(std::span<int const> architectures, found_device const& d) {
  int oldest = architectures.front();
  for (int one : architectures) oldest = one < oldest ? one : oldest;
  std::string const major = std::to_string(d.about.capability_major);
  std::string const minor = std::to_string(d.about.capability_minor);
  return "this program was compiled for compute capability " + architecture_text(oldest) +
         " and above, and " + d.about.name + " has " + major + "." + minor +
         ". Compile it with CMAKE_CUDA_ARCHITECTURES=" + major + minor + ", or nvcc -arch=sm_" +
         major + minor + ".";
}

}  // namespace detail

/// All GPUs that CUDA_VISIBLE_DEVICES (`visible`) leaves visible and that can run code for these
/// architectures. Initialises the driver, but creates no context.
inline findings enumerate(driver const& api, std::optional<std::string> const& visible,
                          std::span<int const> architectures) {
  if (std::string const why = api.why_not(); !why.empty()) return detail::none(why);
  CUresult const started = api.init(0u);
  if (started == CUDA_ERROR_NO_DEVICE) return detail::none(detail::none_visible(visible));
  if (started != CUDA_SUCCESS)
    return detail::none("cuInit failed: " + api.text_of(started) +
                        ". Look whether nvidia-smi works.");
  detail::inquiry driver_answers(api);
  int count = 0;
  driver_answers.query(api.device_count, &count);
  findings found;
  std::string refused;
  std::vector<int> const indexes = machine_indexes(visible, count);
  for (int i = 0; i != count; ++i) {
    auto d = driver_answers.look_at(i, indexes[static_cast<std::size_t>(i)]);
    if (!d) continue;
    if (runs_on(architectures, d->about)) found.devices.push_back(std::move(*d));
    else if (refused.empty()) refused = detail::wrong_architecture(architectures, *d);
  }
  if (!found.devices.empty()) return found;
  if (!refused.empty()) return detail::none(refused);
  if (!driver_answers.error().empty())
    return detail::none(driver_answers.error() + ". Look whether nvidia-smi works.");
  return detail::none(detail::none_visible(visible));
}

}}}  // namespace placement::v0_1::cuda
