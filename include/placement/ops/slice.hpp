#pragma once

#include <placement/expr/operand.hpp>
#include <placement/expr/slice_op.hpp>

namespace placement { inline namespace v0_1 {

/// Parts of x, as by NumPy's x[...]: `slice(x, range{0, 2}, everything)`, `slice(x, -1)`,
/// `slice(x, ellipsis, newaxis, 0)`. A view, assignable through view(): slice_op states the rest.
/// Shape: an index drops its dimension, newaxis adds one.  Type: any.
/// Kernels: CPU, GPU (pattern view_op).
template <operand X, class... I> requires(sizeof...(I) > 0 && (detail::is_slice_item<I> && ...))
auto slice(X&& x, I... items) -> node<slice_op<detail::kind_of_item<I>...>, X> {
  return {{{detail::as_range(items)...}}, {}, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
