#pragma once
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

// There is no shape, so an array is a vector. nvcc compiles for the GPU, other compilers for the
// host.
using array = thrust::device_vector<float>;

#if defined(__CUDACC__)
#  define FORMULA [] __host__ __device__
#else
#  define FORMULA []
#endif

/// An iterator over tuples of element i of every array.
template <class... A> auto zipped(A const&... a) {
  return thrust::make_zip_iterator(thrust::make_tuple(a.begin()...));
}
/// out = f(first, more...), element by element.
template <class F, class A, class... More>
void transformed(array& out, F f, A const& first, More const&... more) {
  auto const begin = zipped(first, more...);
  thrust::transform(begin, begin + static_cast<long>(first.size()), out.begin(),
                    thrust::make_zip_function(f));
}
