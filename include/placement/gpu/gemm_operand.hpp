#pragma once
/// How the threads of a GPU load an operand of a matrix product.

#include <placement/kernels/vec.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// How threads load an operand of a product.
struct operand_access {
  bool along_depth;  ///< the adjacent elements of a thread are along the depth
  bool vectorized;   ///< they are one access
};
/// Whether each run of V elements from a multiple of V on is aligned, along a contiguous dimension
/// of this extent. `stride`: that of the other dimension of the matrix.
template <int V, class T, std::size_t R>
bool is_vectorized(T const* p, layout<R> const& at, index_t extent, index_t step, index_t stride) {
  if (step != 1 || extent % V != 0 || stride % V != 0) return false;
  for (std::size_t d = 0; d + 2 < R; ++d)
    if (at.stride[d] % V != 0) return false;
  return is_aligned<V>(p + at.base);
}
/// `depth_step`, `row_step`: the strides of a matrix along the depth and along the other dimension.
template <int V, class T, std::size_t R>
operand_access access_of_operand(strided_view<T const, R> const& x, index_t rows, index_t row_step,
                                 index_t depth, index_t depth_step) {
  bool const along_depth = depth_step == 1 && row_step != 1;
  return {along_depth, along_depth ? is_vectorized<V>(x.data, x.where, depth, depth_step, row_step)
                                   : is_vectorized<V>(x.data, x.where, rows, row_step, depth_step)};
}

}}}  // namespace placement::v0_1::detail
