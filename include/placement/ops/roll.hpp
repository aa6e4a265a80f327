#pragma once

#include <placement/ops/box_op.hpp>
#include <placement/ops/flatten.hpp>
#include <placement/ops/reshape.hpp>

namespace placement { inline namespace v0_1 {

/// The elements shifted along an axis; those beyond the last come first.
/// Shape: unchanged.  Type: any.  Kernels: CPU, GPU (pattern custom).  Cost: one pass.
/// Throws: shape_error for an axis that does not exist.
template <class Axis> struct roll_op : detail::box_op<roll_op<Axis>> {
  static constexpr std::string_view name = "Roll";

  [[no_unique_address]] Axis axis;
  index_t shift;

  constexpr roll_op(index_t by, Axis along) : axis(along), shift(by) {}

  template <class X> constexpr X result(X const& x) const {
    static_assert(X::rank > 0, "placement: roll takes a vector or more.");
    static_cast<void>(detail::dimension_of<X::rank>(axis));
    return x;
  }
  template <class T, class X, class Boxes>
  void each_box(dense_view<T, X> const& out, dense_view<T const, X> const& in,
                Boxes const& f) const {
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    index_t const n = in.shape.at(a);
    if (n == 0) return;
    index_t const by = shift % n < 0 ? shift % n + n : shift % n;
    auto const [before, after] = detail::sides_of(in.shape, a);
    auto const part = [&](index_t to, index_t from, index_t length) {
      index_t const row = n * after;
      f.copy(out.data, layout<2>{to * after, {row, 1}}, in.data, layout<2>{from * after, {row, 1}},
             shape(before, length * after));
    };
    part(by, 0, n - by);
    part(0, n - by, by);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&...) const {
    return roll(g, -shift, axis);
  }
};
/// `roll(x, 2, 1)`, `roll(x, -1, axis<0>)`.
template <operand X, axis_like A>
auto roll(X&& x, index_t shift, A along, site at = site::here())
    -> node<roll_op<decltype(detail::as_axis(along))>, X> {
  return {roll_op<decltype(detail::as_axis(along))>{shift, detail::as_axis(along)}, at,
          std::forward<X>(x)};
}
/// `roll(x, 2)`: all elements in row-major order, as by NumPy.
template <operand X, class K = kernels_here>
auto roll(X&& x, index_t shift, site at = site::here()) {
  if constexpr (bare<X>::rank == 1) {
    return roll(std::forward<X>(x), shift, axis<0>, at);
  } else {
    auto const to = x.shape();
    return reshape(roll(flatten(std::forward<X>(x), at), shift, axis<0>, at), to, at);
  }
}

namespace detail {
template <std::size_t I, class X, std::size_t N>
auto rolled(X&& x, index_t const (&shifts)[N], int const (&axes)[N], site at) {
  if constexpr (I == N) return std::forward<X>(x);
  else return rolled<I + 1>(roll(std::forward<X>(x), shifts[I], axes[I], at), shifts, axes, at);
}
}  // namespace detail
/// `roll(x, {1, -2}, {0, 1})`: by each shift along its axis, as by NumPy.
/// Cost: one pass for each axis.
template <operand X, std::size_t N, class K = kernels_here>
auto roll(X&& x, index_t const (&shifts)[N], int const (&axes)[N], site at = site::here()) {
  return detail::rolled<0>(std::forward<X>(x), shifts, axes, at);
}

}}  // namespace placement::v0_1
