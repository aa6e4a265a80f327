#pragma once
/// The launch of a kernel, whatever it computes.

#include <placement/shape/extents.hpp>

#include <string_view>

namespace placement::inline v0_1 {

struct logical_device;

namespace cuda {

/// A kernel on its way to a device. Its blocks have the size that all of ours have.
struct launch {
  void const* kernel;  ///< a __global__ function of one argument
  void const* argument;
  index_t blocks;
};
/// Cost: one launch. Throws: placement_error if it could not start.
template <class Once = void>
void launch_kernel(launch const& l, logical_device const& on, std::string_view op);

}  // namespace cuda
}  // namespace placement::inline v0_1
