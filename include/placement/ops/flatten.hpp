#pragma once

#include <placement/ops/reshape.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
template <class X> constexpr auto flattened_shape(X const& x) {
  if constexpr (X::is_static) return extents<static_cast<index_t>(X::count())>{};
  else return dextents<1>{{static_cast<index_t>(x.count())}};
}
}  // namespace detail

/// All elements as a vector, in row-major order: reshape to one dimension.
/// Shape: (...) -> (number of elements).  Type: any.  Kernels: CPU, GPU (pattern view_op).
template <operand X>
auto flatten(X&& x, site at = site::here())
    -> node<reshape_op<decltype(detail::flattened_shape(x.shape()))>, X> {
  auto const to = detail::flattened_shape(x.shape());
  return {{to}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
