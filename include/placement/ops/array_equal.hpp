#pragma once

#include <placement/expr/item.hpp>
#include <placement/ops/all.hpp>
#include <placement/ops/compare.hpp>

namespace placement { inline namespace v0_1 {

/// NumPy's array_equal: have a and b one shape, and equal elements? A bool, computed immediately.
/// Other shapes are no error. NaN equals nothing.
/// Shape: any two -> a bool.  Type: any, the same on both sides.  Throws: exceptions of the ops.
/// Cost: one pass; from a GPU one bool is copied, for which the host waits.
template <operand A, operand B, class K = kernels_here>
bool array_equal(A&& a, B&& b, site at = site::here()) {
  if constexpr (detail::may_convert<typename bare<A>::extents_type,
                                    typename bare<B>::extents_type>()) {
    if (!(a.shape() == b.shape())) return false;
    return item(all(placement::equal(std::forward<A>(a), std::forward<B>(b), at), at), at);
  } else {
    return false;
  }
}

}}  // namespace placement::v0_1
