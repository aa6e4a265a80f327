#pragma once
/// The mean squared error. placement.hpp does not include this header.

#include <placement/ops/mean.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/subtract.hpp>

namespace placement { inline namespace v0_1 {

/// mean(square(a - b)): the loss of a regression. NaN for no elements.
/// Shape: broadcast -> [].  Type: floating point, the same for both. Differences and squares are
/// rounded to it.
/// Kernels: CPU, GPU: one, without temporaries.  Throws: shape_error.
template <class A, class B, class K = kernels_here> requires operands<A, B>
auto mse(A&& a, B&& b, site at = site::here()) {
  using T = typename std::conditional_t<operand<A>, bare<A>, bare<B>>::value_type;
  static_assert(real_number<T>,
                "placement: mse takes floating point. Write mse(cast<float>(a), cast<float>(b)).");
  return mean(square(subtract(std::forward<A>(a), std::forward<B>(b), at), at), at);
}

}}  // namespace placement::v0_1
