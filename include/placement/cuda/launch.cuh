#pragma once
/// Launches a kernel of any type.

#include <placement/shape/extents.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 {

struct logical_device;

namespace cuda {

/// A kernel launch. All kernels of the library use the same block size.
struct launch {
  void const* kernel;  ///< a __global__ function of one argument
  void const* argument;
  index_t blocks;
};
/// Cost: one launch. Throws: placement_error if the launch fails.
void launch_kernel(launch const& l, logical_device const& on, std::string_view op);

}  // namespace cuda
}}  // namespace placement::v0_1
