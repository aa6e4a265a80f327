#pragma once

#include <placement/expr/evaluate.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_reshape(std::string const& from,
                                                              std::string const& to) {
  throw shape_error("placement: a tensor of shape " + from + " cannot be reshaped to " + to +
                    ": the number of elements must stay the same.");
}
}  // namespace detail

/// The same elements in the same order under another shape. To: the shape, extents<...>.
/// Type: any.  Kernels: CPU, GPU (pattern view_op).  Throws: shape_error when the numbers of
/// elements differ.
template <class To> struct reshape_op {
  static constexpr std::string_view name = "Reshape";
  using pattern = view_op;
  static constexpr bool reshapes = true;  // element i stays element i

  [[no_unique_address]] To to;

  template <class X> constexpr To result(X const& x) const {
    if constexpr (X::is_static && To::is_static)
      static_assert(X::count() == To::count(),
                    "placement: reshape keeps the number of elements. Check the extents.");
    if (x.count() != detail::checked_count(to, 1)) detail::no_reshape(to_string(x), to_string(to));
    return to;
  }
};
/// `reshape<2, 3>(x)`: extents in the type.
template <index_t... N, operand X> requires(sizeof...(N) > 0)
auto reshape(X&& x, site at = site::here()) -> node<reshape_op<extents<N...>>, X> {
  return {{}, at, std::forward<X>(x)};
}
/// `reshape(x, shape(2, 3))`: a shape as a value.
template <operand X, index_t... N>
auto reshape(X&& x, extents<N...> to, site at = site::here())
    -> node<reshape_op<extents<N...>>, X> {
  return {{to}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
