#pragma once
/// Creates and registers the CUDA platform of the process.

#include <placement/config.hpp>
#include <placement/cuda/platform.cuh>
#include <placement/cuda/registration.cuh>
#include <placement/error.hpp>
#include <placement/src/device/registry.ipp>

#include <initializer_list>

namespace placement { inline namespace v0_1 { namespace cuda {

PLACEMENT_INLINE cuda_platform& platform_of_process() {
  static driver const& api = *new driver;
  static cuda_platform& all = *new cuda_platform(api);
  return all;
}

PLACEMENT_INLINE bool detail::register_cuda(std::initializer_list<int> architectures) {
  platform_of_process().add_architectures(architectures);
  try {
    register_gpu_platform(platform_of_process());
    return true;
  } catch (invalid_argument const&) { return false; }
}

}}}  // namespace placement::v0_1::cuda
