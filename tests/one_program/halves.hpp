#pragma once
/// One program of two halves: a CUDA compiler compiles the functions declared here, and a C++
/// compiler the tests.

#include <placement/placement.hpp>
#include <placement/src/all.ipp>

#include <cstddef>

namespace other_half {

placement::matrix<float> numbers();                                   ///< [[1 2] [3 4]]
placement::matrix<float> product(placement::matrix<float> const& x);  ///< matmul(x, x)
placement::matrix<float> bigger(
    placement::matrix<float> x);          ///< relu(x + 1), in the caller's scope
placement::device device_of_an_op();      ///< the device of an op in the caller's scope
std::size_t next_without_a_gpu_kernel();  ///< falls back once; returns the number of fallbacks
bool throws_shape_error();

/// Addresses of objects that a process has once, and sizes that both compilers must agree on.
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
