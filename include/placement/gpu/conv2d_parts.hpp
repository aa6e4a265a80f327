#pragma once
/// The sums of a convolution on a GPU whose depth is split into parts.

#include <placement/gpu/vector_width.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

/// The sums of the parts of a depth, added in double in their order.
template <class T> struct conv2d_parts {
  using carried = computed_in<T>;
  carried const* sums;
  index_t size, parts;

  PLACEMENT_HD T operator()(index_t i) const { return vec<1>(i)(0); }
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t i) const {
    double total[std::size_t{V}]{};
    PLACEMENT_ROLLED
    for (index_t p = 0; p < parts; ++p) {
      auto const x = load_vec<V>(sums + p * size + i);
      PLACEMENT_UNROLL
      for (int j = 0; j < V; ++j) total[j] += static_cast<double>(x.v[j]);
    }
    access_of<T, V> y;
    PLACEMENT_UNROLL
    for (int j = 0; j < V; ++j) y.v[j] = static_cast<T>(static_cast<carried>(total[j]));
    return y;
  }
};

namespace detail {
template <class T> inline constexpr std::size_t widest<conv2d_parts<T>> = sizeof(computed_in<T>);
}  // namespace detail

}}  // namespace placement::v0_1
