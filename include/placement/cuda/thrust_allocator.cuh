#pragma once
/// A GPU's pool for Thrust. Not part of placement.hpp; needs the component thrust.
///
///     pl::cuda::thrust_allocator<float> from(pl::gpu0);
///     thrust::device_vector<float, pl::cuda::thrust_allocator<float>> v(1 << 20, 0.f, from);
///
///     pl::cuda::thrust_temporaries memory(pl::gpu0);      // temporaries of algorithms
///     auto const stream = pl::cuda::stream_of(pl::logical(pl::gpu0));
///     thrust::sort(thrust::cuda::par_nosync(memory).on(stream), ...);

#include <placement/cuda/exported_memory.cuh>

#include <thrust/device_ptr.h>

#include <cstddef>
#include <limits>
#include <new>

namespace placement { inline namespace v0_1 { namespace cuda {

/// An allocator for containers, whose streams are unknown. The host waits for the GPU, as in
/// cudaMalloc and cudaFree.
template <class T> class thrust_allocator {
 public:
  using value_type = T;
  using pointer = ::thrust::device_ptr<T>;
  using const_pointer = ::thrust::device_ptr<T const>;
  using reference = ::thrust::device_reference<T>;
  using const_reference = ::thrust::device_reference<T const>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  template <class U> struct rebind {
    using other = thrust_allocator<U>;
  };

  /// Throws: placement_error, invalid_argument.
  explicit thrust_allocator(device from = gpu0) : from_(from, {"thrust"}) {}
  template <class U>
  thrust_allocator(thrust_allocator<U> const& other) noexcept : from_(other.memory()) {}

  /// Throws: out_of_memory; std::bad_alloc if the size in bytes overflows.
  pointer allocate(size_type n) {
    if (n > std::numeric_limits<size_type>::max() / sizeof(T)) throw std::bad_alloc();
    return pointer(static_cast<T*>(from_.allocate(n * sizeof(T), alignof(T))));
  }
  void deallocate(pointer p, size_type n) noexcept { from_.deallocate(p.get(), n * sizeof(T)); }

  exported_memory const& memory() const noexcept { return from_; }
  friend bool operator==(thrust_allocator const& a, thrust_allocator const& b) noexcept {
    return a.from_ == b.from_;
  }

 private:
  exported_memory from_;
};

/// Temporary memory of algorithms that run on the stream of the device's queue. Does not wait.
class thrust_temporaries {
 public:
  using value_type = char;

  /// Throws: placement_error, invalid_argument.
  explicit thrust_temporaries(device from = gpu0) : on_(logical(from).id) {
    static_cast<void>(detail::queue_of(logical(from)));
  }

  /// Throws: out_of_memory.
  char* allocate(std::ptrdiff_t bytes) {
    return static_cast<char*>(
        placement::detail::allocate_block(on_, static_cast<std::size_t>(bytes), {"thrust"}));
  }
  void deallocate(char* p, std::size_t bytes) noexcept {
    placement::detail::deallocate_block(on_, p, bytes);
  }

 private:
  device on_;
};

}}}  // namespace placement::v0_1::cuda
