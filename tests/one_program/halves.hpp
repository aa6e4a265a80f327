#pragma once
/// One program of two halves: this file's functions are compiled by a CUDA compiler, the tests by a
/// C++ compiler.

#include <placement/placement.hpp>

#include <cstddef>

namespace other_half {

placement::matrix<float> numbers();                                   ///< [[1 2] [3 4]]
placement::matrix<float> product(placement::matrix<float> const& x);  ///< x times itself
placement::matrix<float> bigger(
    placement::matrix<float> x);      ///< relu(x + 1), written in whatever scope is around
placement::device device_of_an_op();  ///< where an op runs that is written there
std::size_t
next_without_a_gpu_kernel();  ///< falls back once at one line; how many fallbacks there are then
bool throws_shape_error();

/// Addresses of what a process must have once, and sizes of what must not differ.
struct facts {
  void const* registry;
  void const* pools;
  void const* log;
  void const* copies;
  std::size_t tensor_size, scope_size, node_size;
};
facts facts_of_other_half();

inline facts facts_here() {
  using placement::detail::all_pools;
  return {&placement::detail::registry_of_process(),
          &all_pools(),
          &placement::detail::the_log(),
          &placement::detail::copy_counts(),
          sizeof(placement::matrix<float>),
          sizeof(placement::with_device<>),
          sizeof(placement::origin)};
}

}  // namespace other_half
