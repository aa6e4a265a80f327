#pragma once
/// Registers NVIDIA's GPUs in each program with a file that a CUDA compiler built.

#include <placement/config.hpp>

#include <initializer_list>

namespace placement { inline namespace v0_1 { namespace cuda {

class cuda_platform;

/// The CUDA platform of this process. Never destroyed: tensors may outlive main.
PLACEMENT_PROCESS_STATE cuda_platform& platform_of_process();

namespace detail {

/// Registers the platform once, and adds the architectures of one more file. Has no effect if the
/// program has another hardware platform for GPUs. The same holds if its devices were fixed before
/// this file was loaded.
bool register_cuda(std::initializer_list<int> architectures);

/// One instance for each list of architectures that files of the program were compiled for.
template <int... Architectures> struct registered_for {
  static inline bool const done = register_cuda({Architectures...});
};

}  // namespace detail

}}}  // namespace placement::v0_1::cuda
