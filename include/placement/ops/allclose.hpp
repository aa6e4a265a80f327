#pragma once

#include <placement/expr/item.hpp>
#include <placement/ops/all.hpp>
#include <placement/ops/isclose.hpp>

namespace placement { inline namespace v0_1 {

/// NumPy's allclose: is each element of a close to that of b? A bool, computed immediately:
/// `if (allclose(x, y, {.atol = 1e-6}))`. True for no elements.
/// Shape: the operands broadcast.  Type: as isclose.
/// Throws: shape_error for shapes that do not broadcast; exceptions of the ops.
/// Cost: one pass; from a GPU one bool is copied, for which the host waits.
template <class A, class B, class K = kernels_here> requires operands<A, B>
bool allclose(A&& a, B&& b, tolerance within = {}, site at = site::here()) {
  return item(all(isclose(std::forward<A>(a), std::forward<B>(b), within, at), at), at);
}

}}  // namespace placement::v0_1
