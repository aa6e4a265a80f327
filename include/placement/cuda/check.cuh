#pragma once
/// Checks results of the CUDA runtime and of launches. An error names the call, device and code.

#include <placement/config.hpp>

#include <cuda_runtime_api.h>

#include <string_view>

namespace placement { inline namespace v0_1 {

struct logical_device;

namespace cuda {

namespace detail {
[[noreturn, gnu::cold]] void throw_runtime_error(cudaError_t code, std::string_view what,
                                                 logical_device const& on);
[[noreturn, gnu::cold]] void throw_launch_error(cudaError_t code, std::string_view op,
                                                logical_device const& on);
}  // namespace detail

/// Throws: placement_error if the call of the CUDA runtime failed.
inline void check(cudaError_t code, std::string_view call, logical_device const& on) {
  if (code != cudaSuccess) [[unlikely]]
    detail::throw_runtime_error(code, call, on);
}
/// Throws: placement_error if the last kernel launch of this thread failed to start. Inlined, so
/// that it calls the CUDA runtime that launched the kernel: each shared library can have its own.
PLACEMENT_ALWAYS_INLINE inline void check_launch(logical_device const& on,
                                                 std::string_view op_name) {
  if (cudaError_t const code = ::cudaGetLastError(); code != cudaSuccess) [[unlikely]]
    detail::throw_launch_error(code, op_name, on);
}

}  // namespace cuda
}}  // namespace placement::v0_1
