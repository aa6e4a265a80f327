#pragma once
/// Calls of CUB's device-wide algorithms, on a device's stream and with memory of its pool.

#include <placement/cuda/check.cuh>
#include <placement/cuda/context.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda { namespace detail {

/// The calls of one op on a device, which becomes current.
class cub_calls {
 public:
  cub_calls(logical_device const& on, std::string_view op)
      : on_(on), op_(op), stream_(stream_of(on)) {}

  CUstream_st* stream() const { return stream_; }
  /// Runs call(memory, bytes), which gives the size of its scratch memory where memory is null.
  /// Throws: out_of_memory; placement_error.
  template <class F> void operator()(F const& call) const {
    std::size_t bytes = scratch_bytes_for(call);
    scratch const memory(on_, bytes);
    check(call(memory.data(), bytes));
  }
  template <class F> std::size_t scratch_bytes_for(F const& call) const {
    std::size_t bytes = 0;
    check(call(nullptr, bytes));
    return bytes;
  }
  void check(cudaError_t code) const {
    if (code == cudaSuccess) [[likely]]
      return;
    static_cast<void>(::cudaGetLastError());  // or the program's next check would report it
    throw_launch_error(code, op_, on_);
  }

 private:
  logical_device const& on_;
  std::string_view op_;
  CUstream_st* stream_;
};

}}}}  // namespace placement::v0_1::cuda::detail
