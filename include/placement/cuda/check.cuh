#pragma once
/// Results of the CUDA runtime and of launches, checked: an error names call, device and code.

#include <placement/cuda/context.cuh>
#include <placement/device/logical_device.hpp>
#include <placement/error.hpp>

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace placement::inline v0_1::cuda {

namespace detail {

/// The words for a kernel that this program does not have for the device.
inline std::string no_code_for(hardware const& about) {
  std::string const major = std::to_string(about.capability_major);
  std::string const minor = std::to_string(about.capability_minor);
  return "This program has no code for compute capability " + major + "." + minor +
         ". Compile it with CMAKE_CUDA_ARCHITECTURES=" + major + minor + ", or nvcc -arch=sm_" +
         major + minor + ".";
}

constexpr bool is_missing_code(cudaError_t code) noexcept {
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorUnsupportedPtxVersion ||
         code == cudaErrorInvalidPtx || code == cudaErrorJitCompilerNotFound;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_runtime_error(cudaError_t code,
                                                                       std::string_view what,
                                                                       logical_device const& on) {
  auto const same = static_cast<CUresult>(code);  // the runtime numbers the driver's errors alike
  hardware const about = on.owner->describe(on.ordinal);
  if (!on.owner->simulated() && is_sticky(same)) queue_of(on).device().note(what, same);
  throw placement_error("placement: " + std::string(what) + " on " + to_string(on.id) + " (" +
                        about.name + ") failed: " + cudaGetErrorName(code) + " (" +
                        std::to_string(static_cast<int>(code)) + ", " + cudaGetErrorString(code) +
                        "). " +
                        (is_missing_code(code) ? no_code_for(about) : std::string(advice(same))));
}

}  // namespace detail

/// Throws: placement_error unless the call of the CUDA runtime succeeded.
inline void check(cudaError_t code, std::string_view call, logical_device const& on) {
  if (code != cudaSuccess) [[unlikely]]
    detail::throw_runtime_error(code, call, on);
}
/// Throws: placement_error if the kernel that this thread launched last could not start.
inline void check_launch(logical_device const& on, std::string_view op_name) {
  if (cudaError_t const code = ::cudaGetLastError(); code != cudaSuccess) [[unlikely]]
    detail::throw_runtime_error(code, "the launch of " + std::string(op_name), on);
}

}  // namespace placement::inline v0_1::cuda
