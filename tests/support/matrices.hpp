#pragma once
/// Matrices on CPU:0, with any number of GPUs.

#include <placement/placement.hpp>

inline placement::matrix<float> on_cpu(placement::matrix<float> const& x) {
  return placement::copy_to(placement::cpu<0>, x);
}
inline placement::matrix<float> counted() { return on_cpu({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}); }
