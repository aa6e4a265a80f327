#pragma once
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

// On the host backend; there is no shape, so an array is a vector.
using array = thrust::device_vector<float>;

/// Element i of every array, side by side.
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
