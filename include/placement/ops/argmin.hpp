#pragma once

#include <placement/ops/argmax.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
namespace no_adl {
struct smaller {
  template <class T> PLACEMENT_HD constexpr bool operator()(T x, T y) const noexcept {
    return x < y;
  }
};
}  // namespace no_adl
using no_adl::smaller;
}  // namespace detail

/// Where the smallest element is: its number in row-major order, or its index along one axis. The
/// first of equals; the first NaN where there is one.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: any -> int64.
/// Throws: shape_error when nothing is reduced, at once and not on evaluation.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all>
struct argmin_op : detail::first_best<Where, detail::smaller> {
  static constexpr std::string_view name = "ArgMin";

  template <class X> constexpr auto result(X const& x) const {
    detail::throw_if_nothing_reduced<Where>(name, *this, x);
    return Where::result(x);
  }
};
template <operand X> auto argmin(X&& x, site at = site::here()) -> node<argmin_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto argmin(X&& x, A along_axis, site at = site::here()) -> node<argmin_op<detail::along_t<A>>, X> {
  return {{{{detail::as_axis(along_axis)}}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
