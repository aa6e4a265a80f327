#pragma once
/// One program of two halves: this file's functions are compiled by a CUDA compiler, the tests by a
/// C++ compiler.

#include <placement/placement.hpp>

#include <cstddef>

namespace other_half {

using matrix = placement::tensor<float, placement::dextents<2>>;

matrix numbers();                     ///< [[1 2] [3 4]]
matrix product(matrix const& x);      ///< x times itself
matrix bigger(matrix x);              ///< relu(x + 1), written in whatever scope is around
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
          sizeof(matrix),
          sizeof(placement::with_device<>),
          sizeof(placement::origin)};
}

}  // namespace other_half
