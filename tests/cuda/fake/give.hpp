#pragma once
// What fake libraries have in common: they enqueue work on streams of the fake driver.
#include <cuda.h>

#include <functional>

#include <dlfcn.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

/// Enqueues work on a stream of the fake driver. A stream that captures records it.
inline bool give(CUstream stream, std::function<void()> const& work) {
  using call = bool (*)(CUstream, std::function<void()> const&);
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<call>(::dlsym(driver, "fake_cuda_give"))(stream, work);
}
