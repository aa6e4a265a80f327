#pragma once
/// Programs of files that are compiled for different processors.

#include <placement/placement.hpp>

#include <vector>

namespace processors {

/// What one file does, and the functions that it does it by.
struct part {
  placement::vector<float> (*element_wise)(placement::vector<float> const&);
  placement::vector<int> (*integers)(placement::vector<int> const&);
  placement::vector<float> (*sums)(placement::matrix<float> const&);
  placement::matrix<float> (*probabilities)(placement::matrix<float> const&);
  placement::matrix<int> (*product)(placement::matrix<int> const&);
  /// Arrays of n elements of each type: how many results are wrong, or lie beyond the end.
  int (*wrong_elements)(placement::index_t n);
  std::vector<void (*)()> kernels;
  int vector_bytes;
};
part baseline();
part with_avx2();
part with_avx512();

}  // namespace processors
