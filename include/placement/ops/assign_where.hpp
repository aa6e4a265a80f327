#pragma once
/// Assignment where a mask is true. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/update.hpp>
#include <placement/ops/where.hpp>

namespace placement { inline namespace v0_1 {

/// Writes y where the mask is true: `assign_where(x, x < 0.f, 0.f)`, NumPy's `x[x < 0] = 0`. To a
/// tensor with a name, or to a view of one: `assign_where(slice(view(x), range{0, 2}), mask, y)`.
/// Shape: mask and y broadcast to x.  Type: any; y a number or of the same type.
/// Throws: shape_error.  Kernels: CPU, GPU: one, in place for a tensor where that is safe.
template <updatable X, operand M, class Y, class K = kernels_here> requires operands<Y, X>
auto assign_where(X&& x, M&& mask, Y&& y, site at = site::here()) -> updated<X> {
  return update(x, where(std::forward<M>(mask), std::forward<Y>(y), x, at));
}

}}  // namespace placement::v0_1
