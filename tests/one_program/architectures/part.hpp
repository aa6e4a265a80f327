#pragma once
/// The functions of each part of the program. nvcc compiles each part for different architectures.

#include <placement/device/device_setup.hpp>
#include <placement/placement.hpp>

#include <string>

#define PART_API __attribute__((visibility("default")))

/// The description of a part.
struct part {
  placement::matrix<float> (*layer)(placement::matrix<float> const& x);  ///< relu(x * 2 + 1)
  std::string kernels;   ///< the kernels that its files can launch
  void const* registry;  ///< the registry of the process, as the part sees it
};
PART_API part part_80();
PART_API part part_90();
PART_API part part_of_both();  ///< in a shared library
