#pragma once
/// What launches need of a logical device: its stream, memory for a while, and checked calls.

#include <placement/device/logical_device.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement::inline v0_1::cuda {

/// Throws: placement_error, with the device, the call and what CUDA says of it.
inline void check(cudaError_t result, std::string_view call, logical_device const& on) {
  if (result == cudaSuccess) return;
  throw placement_error("placement: " + std::string(call) + " on " + on.name() + " failed with " +
                        cudaGetErrorName(result) + ": " + cudaGetErrorString(result) +
                        ". Work on this device may be lost.");
}
inline void check_launch(logical_device const& on, std::string_view op) {
  check(cudaGetLastError(), "launching " + std::string(op), on);
}

/// The stream of a device's work; the device is current afterwards.
inline cudaStream_t stream_of(logical_device const& on) {
  check(cudaSetDevice(on.ordinal), "cudaSetDevice", on);
  return nullptr;
}

/// Memory for the work that is given to the device's stream while this lives.
class scratch {
 public:
  scratch(logical_device const& on, std::size_t bytes) : stream_(stream_of(on)) {
    check(cudaMallocAsync(&data_, bytes, stream_), "cudaMallocAsync", on);
  }
  ~scratch() { static_cast<void>(cudaFreeAsync(data_, stream_)); }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  void* data() const noexcept { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

}  // namespace placement::inline v0_1::cuda
