#pragma once
/// A program with a file that a CUDA compiler built has NVIDIA's GPUs, where there are any.

#include <placement/config.hpp>

#include <initializer_list>

namespace placement::inline v0_1::cuda {

class cuda_platform;

/// The platform of this process. Never destroyed: tensors may live longer than main.
template <class Once = void> PLACEMENT_PROCESS_STATE cuda_platform& platform_of_process();

namespace detail {

/// Adds the platform to the process, once, and the architectures of one more file. A program that
/// has other hardware GPUs, or has fixed its devices before this file was loaded, stays as it is.
template <class Once = void> bool register_cuda(std::initializer_list<int> architectures);

/// One for each list of architectures that files of the program were compiled for.
template <int... Architectures> struct registered_for {
  static inline bool const done = register_cuda({Architectures...});
};

}  // namespace detail

}  // namespace placement::inline v0_1::cuda
