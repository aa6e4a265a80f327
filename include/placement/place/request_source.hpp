#pragma once
/// What decides about a kernel besides its device: the source of the request, the kernels that
/// exist, and the permitted fallbacks.

#include <string_view>

namespace placement { inline namespace v0_1 {

/// The source of a request. The strongest wins: on() > a device in the types of tensors > innermost
/// scope > this thread's current device > priority.
enum class request_source : signed char { nobody, thread, scope, rule, type, pin };

/// Whether all ops of a kernel use its requested device, whatever scopes they were written in.
constexpr bool is_pinned(request_source requested_by) noexcept {
  return requested_by >= request_source::type;
}

/// Whether the program declares a GPU kernel, and whether it can launch the kernel.
struct kernels_for {
  bool declared = false;    ///< Op and element type have a GPU kernel.
  bool launchable = false;  ///< It was compiled into this file or another one.
};

/// The file that a kernel on a hardware GPU was compiled in.
enum class kernel_source : unsigned char {
  none,               ///< The kernel runs on the CPU or on a simulated GPU.
  placement_kernels,  ///< A file of the CMake target placement::kernels.
  another_file,       ///< Another file of the program.
  library,            ///< A library that the program registered, such as cuSOLVER.
  this_file,          ///< The file that evaluates the expression.
};

/// The text of a source in logs and in explain; empty for `none` and `this_file`.
constexpr std::string_view to_string(kernel_source s) noexcept {
  if (s == kernel_source::placement_kernels) return "kernel of placement::kernels";
  if (s == kernel_source::library) return "kernel of a library";
  return s == kernel_source::another_file ? "kernel of another file" : "";
}

/// The permitted fallbacks when a request cannot be met. Each fallback is reported.
struct policy {
  bool soft = true;       ///< Run elsewhere if device or kernel is missing; false: an error.
  bool fall_back = true;  ///< False: any fallback is an error.
};

}}  // namespace placement::v0_1
