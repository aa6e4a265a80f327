#pragma once
/// The messages for errors of the CUDA runtime.

#include <placement/config.hpp>
#include <placement/cuda/check.cuh>
#include <placement/device/logical_device.hpp>
#include <placement/error.hpp>
#include <placement/src/cuda/context.ipp>
#include <placement/src/device/device.ipp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda { namespace detail {

/// The message for a kernel without code for the device's compute capability.
inline std::string no_code_for(hardware const& about) {
  std::string const major = std::to_string(about.capability_major);
  std::string const minor = std::to_string(about.capability_minor);
  return "This program has no code for compute capability " + major + "." + minor +
         ". Compile it with CMAKE_CUDA_ARCHITECTURES=" + major + minor + ", or nvcc -arch=sm_" +
         major + minor + ".";
}

constexpr bool is_missing_code(cudaError_t code) noexcept {
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
         code == cudaErrorUnsupportedPtxVersion || code == cudaErrorInvalidPtx ||
         code == cudaErrorJitCompilerNotFound;
}

PLACEMENT_INLINE void throw_runtime_error(cudaError_t code, std::string_view what,
                                          logical_device const& on) {
  auto const same = static_cast<CUresult>(code);  // cudaError_t and CUresult share their values
  hardware const about = on.owner->describe(on.ordinal);
  if (!on.owner->simulated() && is_sticky(same)) queue_of(on).device().note(what, same);
  throw placement_error("placement: " + std::string(what) + " on " + to_string(on.id) + " (" +
                        about.name + ") failed: " + cudaGetErrorName(code) + " (" +
                        std::to_string(static_cast<int>(code)) + ", " + cudaGetErrorString(code) +
                        "). " +
                        (is_missing_code(code) ? no_code_for(about) : std::string(advice(same))));
}

PLACEMENT_INLINE void throw_launch_error(cudaError_t code, std::string_view op,
                                         logical_device const& on) {
  throw_runtime_error(code, "the launch of " + std::string(op), on);
}

}}}}  // namespace placement::v0_1::cuda::detail
