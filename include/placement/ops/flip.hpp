#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void axis_named_twice(std::string_view op, int axis,
                                                                    std::size_t rank) {
  throw shape_error("placement: " + std::string(op) + " of a tensor of rank " +
                    std::to_string(rank) + " names axis " + std::to_string(axis) +
                    " twice. Name each axis once.");
}
}  // namespace detail

/// The elements in the opposite order along these axes; along all for N = 0. A view: of memory it
/// costs nothing.
/// Shape: unchanged.  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Throws: shape_error for an axis that does not exist, or is named twice.
template <std::size_t N> struct flip_op {
  static constexpr std::string_view name = "ReverseV2";
  using pattern = view_op;

  run_time_axis axes[N == 0 ? 1 : N];

  template <class X> constexpr X result(X const& x) const {
    static_cast<void>(mask<X::rank>());
    return x;
  }
  template <std::size_t R, class X> constexpr layout<R> moved(layout<R> where, X const& x) const {
    unsigned const flipped = mask<R>();
    for (std::size_t d = 0; d != R; ++d) {
      if ((flipped >> d & 1) == 0) continue;
      where.base += (x.at(d) - 1) * where.stride[d];
      where.stride[d] = -where.stride[d];
    }
    return where;
  }

 private:
  /// Bit d: whether dimension d is flipped.
  template <std::size_t R> constexpr unsigned mask() const {
    if constexpr (N == 0) return (1u << R) - 1;
    unsigned seen = 0;
    for (std::size_t i = 0; i != N; ++i) {
      unsigned const bit = 1u << detail::dimension_of<R>(axes[i]);
      if ((seen & bit) != 0) detail::axis_named_twice("flip", axes[i].value, R);
      seen |= bit;
    }
    return seen;
  }
};

namespace detail {
/// A static axis as a number; the compiler checks it against the rank.
template <std::size_t R, int D> constexpr run_time_axis checked_axis(axis_t<D> a) {
  static_cast<void>(dimension_of<R>(a));
  return {D};
}
template <std::size_t R> constexpr run_time_axis checked_axis(run_time_axis a) { return a; }
}  // namespace detail

/// `flip(x, 0)`, `flip(x, axis<0>, axis<-1>)`; along all axes unless said: `flip(x)`.
template <operand X, axis_like... A>
auto flip(X&& x, A... along) -> node<flip_op<sizeof...(A)>, X> {
  return {
      {{detail::checked_axis<bare<X>::rank>(detail::as_axis(along))...}}, {}, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
