#pragma once
/// A GPU's pool as a memory resource of CUDA's C++ library. Not part of placement.hpp. Needs the
/// component thrust, which provides those headers.
///
///     pl::cuda::pool_resource from(pl::gpu0);
///     void* p = from.allocate_async(bytes, 256, stream);

#if !defined(LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE)
#  error \
      "CUDA's memory resources are experimental: define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE for all files"
#endif

#include <placement/cuda/exported_memory.cuh>

#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace cuda {

/// An asynchronous memory resource of device-accessible memory. Events order its streams with the
/// library's own work. allocate() and deallocate() without a stream wait on the host.
class pool_resource {
 public:
  static constexpr std::size_t alignment = 256;

  /// Throws: placement_error, invalid_argument.
  explicit pool_resource(device from = gpu0) : from_(from, {"cuda::mr"}) {}

  /// Throws: out_of_memory, invalid_argument for a larger alignment.
  void* allocate(std::size_t bytes, std::size_t align = alignment) {
    return from_.allocate(bytes, align);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t = alignment) noexcept {
    from_.deallocate(p, bytes);
  }
  /// Allocates for work of the stream. Throws: like allocate().
  void* allocate_async(std::size_t bytes, std::size_t align, ::cuda::stream_ref stream) {
    return from_.allocate(bytes, align, stream.get());
  }
  void deallocate_async(void* p, std::size_t bytes, std::size_t,
                        ::cuda::stream_ref stream) noexcept {
    from_.deallocate(p, bytes, stream.get());
  }

  friend bool operator==(pool_resource const& a, pool_resource const& b) noexcept {
    return a.from_ == b.from_;
  }
  friend void get_property(pool_resource const&, ::cuda::mr::device_accessible) noexcept {}

 private:
  exported_memory from_;
};

}}}  // namespace placement::v0_1::cuda
