#pragma once
/// Uses the library on the fake driver.
#include "fake_cuda.hpp"

#include <placement/device/registry.hpp>
#include <placement/src/cuda/toolkit.ipp>

/// Registers the CUDA platform, as a file that nvcc compiled for 9.0 does. Returns the fake driver.
inline fake_cuda& use_fake_gpus() {
  placement::cuda::detail::register_cuda({900});
  return fake();
}
/// The same with `count` GPUs.
inline fake_cuda& use_fake_gpus(std::size_t count) {
  fake_cuda& driver = use_fake_gpus();
  driver.gpus.resize(count);
  return driver;
}
