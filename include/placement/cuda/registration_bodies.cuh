#pragma once
/// Creates and registers the CUDA platform of the process.

#include <placement/cuda/platform.cuh>
#include <placement/cuda/registration.cuh>
#include <placement/device/registry_bodies.hpp>
#include <placement/error.hpp>

#include <initializer_list>

namespace placement { inline namespace v0_1 { namespace cuda {

template <class Once> cuda_platform& platform_of_process() {
  static driver const& api = *new driver;
  static cuda_platform& all = *new cuda_platform(api);
  return all;
}

template <class Once> bool detail::register_cuda(std::initializer_list<int> architectures) {
  platform_of_process().add_architectures(architectures);
  try {
    register_gpu_platform(platform_of_process());
    return true;
  } catch (invalid_argument const&) { return false; }
}

}}}  // namespace placement::v0_1::cuda
