#pragma once
/// What each part of the program computes. A part is compiled by nvcc, each for other
/// architectures.

#include <placement/placement.hpp>

#include <string>

#define PART_API __attribute__((visibility("default")))

/// What a part says of itself.
struct part {
  placement::matrix<float> (*layer)(placement::matrix<float> const& x);  ///< relu(x * 2 + 1)
  std::string kernels;   ///< what its files can launch
  void const* registry;  ///< of the process, as the part sees it
};
PART_API part part_80();
PART_API part part_90();
PART_API part part_of_both();  ///< in a shared library with hidden visibility
