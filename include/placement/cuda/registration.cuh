#pragma once
/// A program with a file that a CUDA compiler built has NVIDIA's GPUs, where there are any.

#include <placement/config.hpp>
#include <placement/cuda/platform.cuh>
#include <placement/device/registry_bodies.hpp>
#include <placement/error.hpp>

#include <initializer_list>

namespace placement::inline v0_1::cuda {

/// The platform of this process. Never destroyed: tensors may live longer than main.
PLACEMENT_PROCESS_STATE inline cuda_platform& platform_of_process() {
  static driver const& api = *new driver;
  static cuda_platform& all = *new cuda_platform(api);
  return all;
}

namespace detail {

/// Adds the platform to the process, once, and the architectures of one more file. A program that
/// has other hardware GPUs, or has fixed its devices before this file was loaded, stays as it is.
inline bool register_cuda(std::initializer_list<int> architectures) {
  platform_of_process().add_architectures(architectures);
  try {
    register_gpu_platform(platform_of_process());
    return true;
  } catch (invalid_argument const&) { return false; }
}

/// One for each list of architectures that files of the program were compiled for.
template <int... Architectures> struct registered_for {
  static inline bool const done = register_cuda({Architectures...});
};

}  // namespace detail

}  // namespace placement::inline v0_1::cuda
