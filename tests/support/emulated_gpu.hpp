#pragma once
/// Whether GPUs are emulated: see docs/decisions/0035-emulated-gpu.md.

#include <dlfcn.h>

/// Whether the program was built for emulated GPUs. Then a missing GPU is an error.
#ifdef PLACEMENT_EMULATED_GPU
inline constexpr bool is_for_emulated_gpu = true;
#else
inline constexpr bool is_for_emulated_gpu = false;
#endif

/// True once the fake driver is loaded, which runs kernels some 1,000 times slower than a GPU.
inline bool is_gpu_emulated() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver != nullptr && ::dlsym(driver, "fake_cuda_control") != nullptr;
}
